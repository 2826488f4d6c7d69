package dev.holdfast.exec.spawn;

import dev.holdfast.exec.reactor.ReadEnd;
import dev.holdfast.exec.reactor.WriteEnd;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The three streams of a child. Reactor's thread only, but for what says otherwise. */
final class Wires implements Wire.Owner {
  private final Wire stdin;
  private final Wire stdout;
  private final @Nullable Wire stderr; // null: where stdout goes
  private final Runnable onChange;
  private final Runnable onOverLimit;
  private final List<Wire> all = new ArrayList<>(3);
  private volatile long lastData; // any thread

  Wires(SpawnPlan plan, OpenEnds openEnds, Runnable onChange, Runnable onOverLimit) {
    this.onChange = onChange;
    this.onOverLimit = onOverLimit;
    this.stdin = input(plan, openEnds);
    this.stdout = output(plan.stdout(), "stdout", plan, openEnds);
    StreamPlan err = plan.stderr();
    this.stderr = err == null ? null : output(err, "stderr", plan, openEnds);
    all.add(stdin);
    all.add(stdout);
    if (stderr != null) {
      all.add(stderr);
    }
  }

  private static Wire input(SpawnPlan plan, OpenEnds openEnds) {
    return switch (plan.stdin()) {
      case StreamPlan.Content content -> new InputWire.FromMemory(content.content());
      case StreamPlan.Fed fed -> new InputWire.FromStream(fed.source(), plan.label());
      case StreamPlan.Piped _ -> new InputWire.FromCaller(openEnds);
      default -> new DirectWire(plan.stdin(), "stdin");
    };
  }

  private Wire output(StreamPlan stream, String name, SpawnPlan plan, OpenEnds openEnds) {
    return switch (stream) {
      case StreamPlan.Collected collected -> new CollectedWire(collected.sink(), this);
      case StreamPlan.Pumped pumped -> new PumpedWire(pumped.consumer(), this, plan.label());
      case StreamPlan.Piped piped -> new PipedOutput(openEnds, piped.unread(), this);
      default -> new DirectWire(stream, name);
    };
  }

  /** Spawning thread. Opens what is needed; a failure leaves it to {@link #close}. */
  void prepare() {
    for (Wire wire : all) {
      wire.prepare();
    }
  }

  /** Spawning thread. Where the child's descriptors 0, 1 and 2 come from. */
  int childFd(int stream) {
    return switch (stream) {
      case 0 -> stdin.childFd();
      case 1 -> stdout.childFd();
      default -> stderr == null ? stdout.childFd() : stderr.childFd();
    };
  }

  void closeChildSides() {
    all.forEach(Wire::closeChildSide);
  }

  void attach() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).attach();
    }
  }

  void leaderExited() {
    all.forEach(Wire::leaderExited);
  }

  boolean isDraining() {
    boolean draining = false;
    for (int i = 0; i < all.size(); i++) {
      draining |= all.get(i).isDraining();
    }
    return draining;
  }

  /** Ends the reading. */
  void stopReading() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).stopReading();
    }
  }

  boolean isFinishing(long now) {
    boolean finishing = false;
    for (int i = 0; i < all.size(); i++) {
      finishing |= all.get(i).isFinishing(now);
    }
    return finishing;
  }

  /** Ends the delivery. */
  void cut() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).cut();
    }
  }

  void close() {
    all.forEach(Wire::close);
  }

  void closeStdin() {
    if (stdin instanceof InputWire input) {
      input.closeStdin();
    }
  }

  void writeToStdin(byte[] content) {
    if (stdin instanceof InputWire input) {
      input.writeNow(content);
    }
  }

  long lastData() {
    return lastData;
  }

  // ---- any thread

  @Override
  public void dataCame() {
    lastData = System.nanoTime();
  }

  @Override
  public void wireChanged() {
    onChange.run();
  }

  @Override
  public void overLimit() {
    onOverLimit.run();
  }

  /** What the sinks of the user have thrown. */
  @Nullable Throwable failure() {
    for (Wire wire : all) {
      Throwable failure = wire instanceof PumpedWire pumped ? pumped.failure() : null;
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  /** Whether all output has been read; after the drain. */
  boolean isWhole() {
    boolean whole = true;
    for (Wire wire : all) {
      whole &= wire.isWhole();
    }
    return whole;
  }

  /** Collects what nobody has begun to read. */
  void collectUnread() {
    for (Wire wire : all) {
      if (wire instanceof PipedOutput piped) {
        piped.collect();
      }
    }
  }

  /** The caller's end of standard input; null when it isn't a pipe of the caller's. */
  @Nullable WriteEnd stdinEnd() {
    return stdin instanceof InputWire.FromCaller caller ? caller.end() : null;
  }

  /** The caller's end of an output; null when it isn't a pipe of the caller's, or was collected. */
  @Nullable ReadEnd beginToRead(boolean error) {
    Wire wire = error ? stderr : stdout;
    return wire instanceof PipedOutput piped ? piped.begin() : null;
  }

  /** The child never came to be. */
  void abandon() {
    for (Wire wire : all) {
      if (wire instanceof PipedOutput piped) {
        piped.abandon();
      }
      wire.close();
    }
  }
}
