package dev.holdfast.exec.libc;

import jnr.constants.platform.Signal;

/**
 * Calls that concern the calling OS thread alone. No virtual thread may park between two of them.
 */
public final class Threads {
  /** Bytes of a signal set. */
  public static final int SET_BYTES = 128;

  private static final int SIG_BLOCK = 0;
  private static final int SIG_SETMASK = 2;

  private Threads() {}

  /**
   * The id of the OS thread that runs this.
   *
   * @return its kernel id
   */
  public static int id() {
    return Native.libc().gettid();
  }

  /**
   * A set of all signals but the synchronous ones, which the JVM needs at any moment: blocked while
   * they are raised, they would end it (sigprocmask(2), Notes).
   *
   * @return the set
   */
  public static NativeBlock asynchronousSignals() {
    var set = NativeBlock.allocate(SET_BYTES);
    for (var i = 0; i < SET_BYTES; i += 8) {
      set.putLong(i, -1L);
    }
    var mask = -1L;
    for (var signal :
        new Signal[] {
          Signal.SIGSEGV, Signal.SIGBUS, Signal.SIGFPE, Signal.SIGILL, Signal.SIGTRAP
        }) {
      mask &= ~bit(signal.intValue());
    }
    set.putLong(0, mask);
    return set;
  }

  /**
   * A set of one signal.
   *
   * @param signal its number, 1 to 64
   * @return the set
   */
  public static NativeBlock setOf(int signal) {
    var set = NativeBlock.allocate(SET_BYTES);
    set.putLong(0, bit(signal));
    return set;
  }

  /**
   * Blocks more signals.
   *
   * @param set which
   * @param old gets the former mask
   * @return 0 or a negated error number
   */
  public static int block(NativeBlock set, NativeBlock old) {
    var rc = Native.libc().pthread_sigmask(SIG_BLOCK, set.address(), old.address());
    set.keep();
    old.keep();
    return -rc;
  }

  /**
   * Puts a former mask back.
   *
   * @param old what {@link #block} left
   * @return 0 or a negated error number
   */
  public static int restore(NativeBlock old) {
    var rc = Native.libc().pthread_sigmask(SIG_SETMASK, old.address(), 0);
    old.keep();
    return -rc;
  }

  /**
   * Takes one pending signal out of a blocked set, waiting for it.
   *
   * @param set which
   * @param millis how long to wait
   * @return its number or a negated error number, {@code EAGAIN} when the time was up
   */
  public static int awaitSignal(NativeBlock set, int millis) {
    var timeout = NativeBlock.allocate(16);
    timeout.putLong(0, millis / 1_000);
    timeout.putLong(8, millis % 1_000 * 1_000_000L);
    var rc = Errno.outcome(Native.libc().sigtimedwait(set.address(), 0, timeout.address()));
    set.keep();
    timeout.keep();
    return rc;
  }

  private static long bit(int signal) {
    return 1L << (signal - 1);
  }
}
