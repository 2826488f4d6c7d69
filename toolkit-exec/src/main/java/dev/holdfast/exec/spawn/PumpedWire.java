package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.pipe.ByteConsumer;
import dev.holdfast.exec.pipe.Discard;
import dev.holdfast.exec.reactor.Intake;
import dev.holdfast.exec.reactor.Reactor;
import dev.holdfast.exec.reactor.ReadEnd;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Output for code of the user, which may block or throw. Whatever it does, the pipe is drained:
 * once the pump has ended or was cut, the reactor reads on and throws away.
 */
final class PumpedWire extends Wire implements Intake.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(PumpedWire.class);

  private enum State {
    PUMPING,
    /** All was read before the drain was over. */
    WHOLE,
    /** The drain was over first. */
    STOPPED,
    /** The time of the user's code was over, too. */
    CUT
  }

  private final ReadEnd end = new ReadEnd(() -> {});
  private final Intake rest = new Intake(Discard.DISCARD, this);
  private final Pump pump;
  private final String label;
  private @Nullable Thread thread; // reactor's thread
  private State state = State.PUMPING; // reactor's thread, before drained
  private boolean restTaken; // guarded by this
  private boolean closed; // guarded by this

  PumpedWire(ByteConsumer consumer, Owner owner, String label) {
    this.label = label;
    this.pump = new Pump(end, consumer, owner, this::drainRest);
  }

  @Override
  void prepare() {
    Reactor.get().reserve(end);
    Reactor.get().reserve(rest);
    int ours = pipe(true);
    requireTaken(end.adopt(ours));
  }

  @Override
  void attach() {
    if (thread == null) {
      thread = Thread.ofVirtual().name("holdfast-sink").start(pump);
    }
  }

  /** The pump reads no more: the reactor takes over. Any thread. */
  private synchronized void drainRest() {
    if (restTaken) {
      return;
    }
    int fd = end.release();
    if (fd < 0) {
      return;
    }
    restTaken = true;
    if (closed) {
      Fds.close(fd);
    } else {
      rest.adopt(fd);
    }
  }

  @Override
  boolean isDraining() {
    return state == State.PUMPING && thread != null && !pump.hasEnded();
  }

  @Override
  void stopReading() {
    if (state == State.PUMPING) {
      state = pump.hasEnded() ? State.WHOLE : State.STOPPED;
      pump.stopReading();
    }
  }

  @Override
  boolean isFinishing(long now) {
    return state == State.STOPPED && !pump.hasEnded() && !pump.isStuck(now, Drain.STUCK_NANOS);
  }

  @Override
  boolean isWhole() {
    return state == State.WHOLE;
  }

  @Override
  void cut() {
    if (state != State.STOPPED || pump.hasEnded()) {
      return;
    }
    state = State.CUT;
    pump.cut();
    drainRest();
    Thread running = thread;
    if (running != null) {
      LOG.warn(
          "A sink of '{}' has not ended when the drain grace was over; it is interrupted and its"
              + " output is cut.{}",
          label,
          Arrays.stream(running.getStackTrace())
              .map(frame -> "\n    at " + frame)
              .collect(Collectors.joining()));
      running.interrupt();
    }
  }

  @Nullable Throwable failure() {
    return pump.failure();
  }

  @Override
  synchronized void close() {
    closeChildSide();
    closed = true;
    end.close();
    rest.close();
    Reactor.get().release(rest);
  }

  @Override
  public void onData() {}

  @Override
  public void onEnd() {}

  @Override
  public void onOverLimit() {}
}
