package dev.holdfast.exec.spawn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Climbs from the first rung of a stop policy to KILL, and on to the finding that even that did not
 * help. Keyed on the tree, not on its leader; can't be cancelled. Reactor's thread only.
 */
final class Ladder {
  private static final Logger LOG = LoggerFactory.getLogger(Ladder.class);
  private static final long KILL_WAIT_NANOS = 5_000_000_000L;

  /** How far a stop is. */
  enum State {
    /** Nobody has asked for an end. */
    IDLE,
    /** On a rung. */
    CLIMBING,
    /** KILL has been sent. */
    KILLED,
    /** Something has outlived KILL and the wait after it. */
    LOST,
    /** The tree is gone. */
    OVER
  }

  /** What a rung acts on. */
  interface Target {
    void signal(int signal, boolean thenContinue);

    void kill();

    void closeStdin();

    void write(byte[] content);
  }

  private final List<Rung> rungs;
  private final Target target;
  private final @Nullable Thread[] running; // by rung
  private State state = State.IDLE;
  private int next;
  private long due = Long.MAX_VALUE;

  Ladder(List<Rung> rungs, Target target) {
    this.rungs = rungs;
    this.target = target;
    this.running = new Thread[rungs.size()];
  }

  State state() {
    return state;
  }

  boolean isClimbed() {
    return state != State.IDLE;
  }

  /** When {@link #advance} is to be called at the latest. */
  long due() {
    return due;
  }

  /** Starts to climb; no more than once. */
  void start(long now) {
    if (state == State.IDLE) {
      state = State.CLIMBING;
      due = now;
    }
  }

  /** Goes to KILL at once, unless it is there. */
  void force(long now) {
    if (state == State.IDLE || state == State.CLIMBING) {
      state = State.CLIMBING;
      next = rungs.size();
      due = now;
    }
  }

  /** The tree is gone: no further rung, and the user's code that still runs is interrupted. */
  void end() {
    if (state == State.OVER) {
      return;
    }
    state = State.OVER;
    due = Long.MAX_VALUE;
    for (int i = 0; i < running.length; i++) {
      Thread thread = running[i];
      if (thread != null) {
        thread.interrupt();
        running[i] = null;
      }
    }
  }

  /** Does what is due. */
  void advance(long now) {
    while (state == State.CLIMBING && due - now <= 0) {
      if (next == rungs.size()) {
        target.kill();
        state = State.KILLED;
        due = now + KILL_WAIT_NANOS;
      } else if (rungs.get(next) instanceof Rung.Call call) {
        start(call, next++);
      } else {
        climb(rungs.get(next), now);
        next++;
      }
    }
    if (state == State.KILLED && due - now <= 0) {
      state = State.LOST;
      due = Long.MAX_VALUE;
    }
  }

  private void climb(Rung rung, long now) {
    switch (rung) {
      case Rung.Send send -> target.signal(send.signal(), send.thenContinue());
      case Rung.Await wait -> due = now + wait.nanos();
      case Rung.CloseStdin close -> target.closeStdin();
      case Rung.Write write -> target.write(write.content());
      case Rung.Call _ -> {} // started, and never again
    }
  }

  /** Tried once, whatever comes: for the user's code the KILL doesn't wait. */
  private void start(Rung.Call call, int rung) {
    try {
      running[rung] =
          Thread.ofVirtual().name("holdfast-stop-" + call.name()).start(() -> run(call));
    } catch (Throwable t) {
      LOG.warn(
          "The step '{}' of a stop policy could not be started; the ladder goes on.",
          call.name(),
          t);
    }
  }

  private static void run(Rung.Call call) {
    try {
      call.action().run();
    } catch (Throwable t) {
      LOG.warn("The step '{}' of a stop policy failed; the ladder goes on.", call.name(), t);
    }
  }
}
