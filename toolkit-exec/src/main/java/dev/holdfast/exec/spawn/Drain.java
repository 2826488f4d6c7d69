package dev.holdfast.exec.spawn;

/**
 * How long output is waited for after the leader's end: until the streams have ended, or no byte
 * has come for a while, or too long in all. Reactor's thread only.
 */
final class Drain {
  private static final long IDLE_NANOS = 250_000_000L;
  private static final long LONGEST_NANOS = 2_000_000_000L;

  private long exitedAt;
  private boolean started;
  private boolean over;

  void start(long now) {
    if (!started) {
      started = true;
      exitedAt = now;
    }
  }

  /** When {@link #ends} may become true for lack of output. */
  long due(long lastData) {
    return over || !started ? Long.MAX_VALUE : limit(lastData);
  }

  private long limit(long lastData) {
    long idle = Math.max(exitedAt, lastData == 0 ? exitedAt : lastData) + IDLE_NANOS;
    return Math.min(idle, exitedAt + LONGEST_NANOS);
  }

  /** True once, when the drain ends. */
  boolean ends(long now, long lastData, boolean draining) {
    if (over || !started || (draining && limit(lastData) - now > 0)) {
      return false;
    }
    over = true;
    return true;
  }

  boolean isOver() {
    return over;
  }
}
