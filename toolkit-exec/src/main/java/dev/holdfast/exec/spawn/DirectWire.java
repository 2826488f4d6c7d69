package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Fds;

/** A stream that the child uses without us: a file, {@code /dev/null}, a descriptor of the JVM. */
final class DirectWire extends Wire {
  private final StreamPlan plan;

  DirectWire(StreamPlan plan) {
    this.plan = plan;
  }

  @Override
  void prepare() {
    switch (plan) {
      case StreamPlan.Inherited inherited -> childSide(inherited.fd(), false);
      case StreamPlan.FileStream file -> childSide(open(file), true);
      default -> childSide(Fds.devNull(), false);
    }
  }

  private static int open(StreamPlan.FileStream file) {
    return switch (file.mode()) {
      case READ -> Fds.openRead(file.path());
      case WRITE -> Fds.openWrite(file.path());
      case APPEND -> Fds.openAppend(file.path());
    };
  }
}
