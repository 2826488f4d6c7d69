package dev.holdfast.exec.spawn;

/**
 * How long output is waited for after the leader's end: until the streams have ended, or no byte
 * has come for a while, or too long in all. Then reading ends, and sinks of the user's have a while
 * to finish with what they got. Reactor's thread only.
 */
final class Drain {
  private static final long IDLE_NANOS = 250_000_000L;
  private static final long LONGEST_NANOS = 2_000_000_000L;

  /** How long code of the user's may take over one piece of output before it counts as stuck. */
  static final long STUCK_NANOS = IDLE_NANOS;

  private enum State {
    /** The leader lives. */
    NOT_STARTED,
    /** Output is waited for. */
    WAITING,
    /** Nothing more is read. */
    FINISHING,
    /** Nothing more is delivered. */
    OVER
  }

  private State state = State.NOT_STARTED;
  private long exitedAt;
  private long finishBy;

  void start(long now) {
    if (state == State.NOT_STARTED) {
      state = State.WAITING;
      exitedAt = now;
    }
  }

  /** When it may go on for lack of output. */
  long due(long lastData) {
    return switch (state) {
      case NOT_STARTED, OVER -> Long.MAX_VALUE;
      case WAITING -> limit(lastData);
      case FINISHING -> finishBy;
    };
  }

  private long limit(long lastData) {
    long idle = Math.max(exitedAt, lastData == 0 ? exitedAt : lastData) + IDLE_NANOS;
    return Math.min(idle, exitedAt + LONGEST_NANOS);
  }

  /** Whether reading is to end: all has come, or the grace is over. */
  boolean endsReading(long now, long lastData, boolean draining) {
    return state == State.WAITING && (!draining || limit(lastData) - now <= 0);
  }

  void readingEnded(long now) {
    state = State.FINISHING;
    finishBy = now + STUCK_NANOS;
  }

  /** Whether delivery is to end: all is delivered, or the sinks have had their time. */
  boolean endsDelivery(long now, boolean finishing) {
    return state == State.FINISHING && (!finishing || finishBy - now <= 0);
  }

  void deliveryEnded() {
    state = State.OVER;
  }

  boolean isOver() {
    return state == State.OVER;
  }
}
