package dev.holdfast.exec.libc;

/**
 * A signal that the kernel sends when a descriptor becomes ready or its peer goes away (fcntl(2),
 * "Managing signals"). Signal, flag and owner belong to the open file description.
 */
public final class AsyncSignal {
  /** Bytes of a scratch block for the owner. */
  public static final int SCRATCH_BYTES = 8;

  // linux/fcntl.h, all architectures of the floor; struct f_owner_ex is two ints.
  private static final int F_SETSIG = 10;
  private static final int F_SETOWN_EX = 15;
  private static final int F_OWNER_TID = 0;
  private static final int F_OWNER_PGRP = 2;

  private AsyncSignal() {}

  /**
   * Says which signal is sent, and switches sending on. Nobody gets it before an owner is set.
   *
   * @param fd the descriptor
   * @param signal the number
   * @return 0 or a negated error number
   */
  public static int enable(int fd, int signal) {
    var rc = control(fd, F_SETSIG, signal);
    return rc < 0 ? rc : control(fd, Fds.F_SETFL, Fds.O_ASYNC);
  }

  /**
   * Switches sending off. Other status flags of the description are cleared too.
   *
   * @param fd the descriptor
   * @return 0 or a negated error number
   */
  public static int disable(int fd) {
    return control(fd, Fds.F_SETFL, 0);
  }

  /**
   * Makes a process group the receiver.
   *
   * @param fd the descriptor
   * @param pgid the group, or a pid that may become one
   * @param scratch {@link #SCRATCH_BYTES} that nobody else uses during the call
   * @return 0 or a negated error number, {@code ESRCH} when nobody has that number
   * @throws IllegalArgumentException if the group is 1 or less, ours, or our pid
   */
  public static int ownedByGroup(int fd, int pgid, NativeBlock scratch) {
    return owner(fd, F_OWNER_PGRP, Signals.requireForeignGroup(pgid), scratch);
  }

  /**
   * Makes the calling OS thread the receiver.
   *
   * @param fd the descriptor
   * @param scratch {@link #SCRATCH_BYTES} that nobody else uses during the call
   * @return 0 or a negated error number
   */
  public static int ownedByThisThread(int fd, NativeBlock scratch) {
    return owner(fd, F_OWNER_TID, Threads.id(), scratch);
  }

  private static int owner(int fd, int type, int id, NativeBlock scratch) {
    scratch.putInt(0, type);
    scratch.putInt(4, id);
    try {
      return control(fd, F_SETOWN_EX, scratch.address());
    } finally {
      scratch.keep();
    }
  }

  private static int control(int fd, int command, long argument) {
    return Errno.outcome(Native.libc().fcntl(fd, command, argument));
  }
}
