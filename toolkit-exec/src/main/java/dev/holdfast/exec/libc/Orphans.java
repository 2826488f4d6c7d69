package dev.holdfast.exec.libc;

/** To whom descendants come whose parent has ended. */
public final class Orphans {
  private static final int PR_SET_CHILD_SUBREAPER = 36;
  private static final int PR_GET_CHILD_SUBREAPER = 37;
  private static final int INIT = 1;

  private Orphans() {}

  /**
   * Tells whether orphaned descendants become children of this JVM, which has to reap them then: as
   * the first process of a pid namespace (pid_namespaces(7)), or as a child subreaper (prctl(2)).
   *
   * @return whether they do
   */
  public static boolean comeToUs() {
    if (Signals.OWN_PID == INIT) {
      return true;
    }
    var answer = NativeBlock.allocate(Integer.BYTES);
    var rc = Native.libc().prctl(PR_GET_CHILD_SUBREAPER, answer.address(), 0, 0, 0);
    return rc == 0 && answer.getInt(0) != 0;
  }

  /**
   * Makes them come to this JVM from now on: it becomes a child subreaper. Process-wide; not
   * inherited by children.
   *
   * @return 0 or a negated error number
   */
  public static int takeIn() {
    return Errno.outcome(Native.libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
  }
}
