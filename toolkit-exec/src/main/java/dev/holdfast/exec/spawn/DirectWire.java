package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.Fds;

/** A stream that the child uses without us: a file, {@code /dev/null}, a descriptor of the JVM. */
final class DirectWire extends Wire {
  private final StreamPlan plan;
  private final String name;

  DirectWire(StreamPlan plan, String name) {
    this.plan = plan;
    this.name = name;
  }

  @Override
  void prepare() {
    switch (plan) {
      case StreamPlan.Inherited inherited -> childSide(inherited.fd(), false);
      case StreamPlan.FileStream file -> childSide(open(file), true);
      default -> childSide(Fds.devNull(), false);
    }
  }

  private int open(StreamPlan.FileStream file) {
    try {
      return switch (file.mode()) {
        case READ -> Fds.openRead(file.path());
        case WRITE -> Fds.openWrite(file.path());
        case APPEND -> Fds.openAppend(file.path());
      };
    } catch (ErrnoException e) {
      throw isShortage(e.errno()) ? e : refusal(file, e.errno());
    }
  }

  private static boolean isShortage(int errno) {
    return errno == Errno.EMFILE || errno == Errno.ENFILE || errno == Errno.ENOMEM;
  }

  private LaunchFailure refusal(StreamPlan.FileStream file, int errno) {
    String access = file.mode() == StreamPlan.Mode.READ ? "read" : "write";
    return new LaunchFailure(
        LaunchFailure.Reason.BAD_ARGUMENT,
        errno,
        "The file %s can't be opened for %s: %s. Name one that this user may %s; a relative path counts from the working directory of this JVM."
            .formatted(file.shown(), name, Errno.describe(errno), access));
  }
}
