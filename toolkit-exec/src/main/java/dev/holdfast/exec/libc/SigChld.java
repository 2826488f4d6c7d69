package dev.holdfast.exec.libc;

import jnr.constants.platform.Signal;

/**
 * The disposition of SIGCHLD. A JVM that inherited it ignored could never learn an exit status: the
 * kernel would reap its children unseen (wait(2), "ECHILD").
 */
public final class SigChld {
  private static final int SIGCHLD = Signal.SIGCHLD.intValue();
  private static final long SIG_DFL = 0;
  private static final long SIG_IGN = 1;
  private static final int SA_NOCLDWAIT = 2;

  // struct sigaction of glibc on 64-bit Linux: handler, 128 bytes of mask, flags, restorer.
  private static final int SIGACTION_BYTES = 152;
  private static final int FLAGS_OFFSET = 136;

  private SigChld() {}

  static void ensureDefault(Libc libc) {
    if (!reapsUnseen(libc)) {
      return;
    }
    var action = NativeBlock.allocate(SIGACTION_BYTES);
    action.putLong(0, SIG_DFL);
    libc.sigaction(SIGCHLD, action.address(), 0);
    action.keep();
  }

  /**
   * Tells whether the kernel reaps our children unseen, so that no status can be known: SIGCHLD is
   * set to default when the C library is loaded, but other native code may have ignored it since.
   *
   * @return whether SIGCHLD is ignored or SA_NOCLDWAIT is set
   */
  public static boolean reapsUnseen() {
    return reapsUnseen(Native.libc());
  }

  private static boolean reapsUnseen(Libc libc) {
    var old = NativeBlock.allocate(SIGACTION_BYTES);
    var rc = libc.sigaction(SIGCHLD, 0, old.address());
    return rc == 0 && (old.getLong(0) == SIG_IGN || (old.getInt(FLAGS_OFFSET) & SA_NOCLDWAIT) != 0);
  }
}
