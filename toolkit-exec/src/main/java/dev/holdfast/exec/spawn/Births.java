package dev.holdfast.exec.spawn;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells whether some thread is making a process right now. Between the kernel's making of a child
 * and the moment at which the reactor's table knows its pid, it looks like an orphan that came to
 * us.
 */
final class Births {
  /** The mark while one is under way. */
  static final long UNDER_WAY = -1;

  private static final long BEGUN = 1L << 32;
  private static final long PENDING = BEGUN - 1;

  /** How many have begun, above how many of these have not ended. */
  private static final AtomicLong STATE = new AtomicLong();

  private Births() {}

  static void begin() {
    STATE.addAndGet(BEGUN + 1);
  }

  static void end() {
    STATE.decrementAndGet();
  }

  /**
   * {@link #UNDER_WAY}, or a number: the same number twice means that none was under way from one
   * call to the other.
   */
  static long mark() {
    long state = STATE.get();
    return (state & PENDING) == 0 ? state : UNDER_WAY;
  }
}
