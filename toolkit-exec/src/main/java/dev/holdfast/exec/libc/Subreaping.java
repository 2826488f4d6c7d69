package dev.holdfast.exec.libc;

/** Whether the kernel hands orphaned descendants to this JVM (prctl(2), PR_SET_CHILD_SUBREAPER). */
public final class Subreaping {
  private static final int PR_SET_CHILD_SUBREAPER = 36;

  private Subreaping() {}

  /**
   * Makes this process the reaper of descendants that lose their parent. Process-wide; not
   * inherited by children.
   *
   * @return 0 or a negated error number
   */
  public static int begin() {
    return Errno.outcome(Native.libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
  }
}
