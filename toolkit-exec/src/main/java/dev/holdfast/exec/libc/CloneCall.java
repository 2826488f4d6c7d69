package dev.holdfast.exec.libc;

import jnr.constants.platform.Signal;

/** The {@code clone} of a process that ends at once, sharing this JVM's memory while it does. */
public final class CloneCall {
  private static final int CLONE_VM = 0x100;
  private static final int CLONE_FILES = 0x400; // or thousands of descriptors are copied and closed
  private static final int FLAGS = CLONE_VM | CLONE_FILES | Signal.SIGCHLD.intValue();

  // Both ABIs want the stack pointer aligned to 16; the rest is for what clone(2) puts there.
  private static final long TOP_RESERVE = 64;

  private static volatile long exit;

  private CloneCall() {}

  /**
   * Makes a child that runs {@code _exit(0)} and nothing else. It runs beside the calling thread,
   * with the same thread pointer, of which {@code _exit} makes no use. To be called with all
   * asynchronous signals blocked, as a handler of the JVM must not run on the child's stack.
   *
   * @param stack the child's stack, to be kept until the child has ended
   * @return the pid or a negated error number
   */
  public static int exitAtOnce(NativeBlock stack) {
    var entry = exit;
    if (entry == 0) {
      entry = exit = Native.symbol("_exit");
    }
    var top = stack.address(stack.size() - TOP_RESERVE);
    var pid = Errno.outcome(Native.libc().clone(entry, top, FLAGS, 0));
    stack.keep();
    return pid;
  }

  /**
   * Makes a child of ours that has not exec'd the leader of a group of its own.
   *
   * @param pid the child
   * @return 0 or a negated error number
   */
  public static int makeGroupLeader(int pid) {
    Signals.requireForeignPid(pid);
    return Errno.outcome(Native.libc().setpgid(pid, pid));
  }
}
