package dev.holdfast.exec.libc;

import jnr.constants.platform.Signal;

/**
 * Signals to processes and groups. Numbers that would reach ourselves or everybody (0, -1, 1, our
 * pid, our group) are refused before the kernel sees them: {@code kill(-1)} is a broadcast.
 */
public final class Signals {
  /** The terminal is gone. */
  public static final int HUP = Signal.SIGHUP.intValue();

  /** Ctrl-C. */
  public static final int INT = Signal.SIGINT.intValue();

  /** The end, with a core dump. */
  public static final int QUIT = Signal.SIGQUIT.intValue();

  /** The end, which nobody can refuse. */
  public static final int KILL = Signal.SIGKILL.intValue();

  /** A request to end. */
  public static final int TERM = Signal.SIGTERM.intValue();

  /** A child has changed its state. */
  public static final int CHLD = Signal.SIGCHLD.intValue();

  /** Go on, after a stop. */
  public static final int CONT = Signal.SIGCONT.intValue();

  /** Stop, which nobody can refuse. */
  public static final int STOP = Signal.SIGSTOP.intValue();

  /** Ignored by default; for the probe of the tripwire. */
  public static final int URG = Signal.SIGURG.intValue();

  /** Asks whether there is someone to signal, and signals nobody (kill(2)). */
  public static final int PROBE = 0;

  static final int OWN_PID = Math.toIntExact(ProcessHandle.current().pid());
  static final long SYS_PIDFD_OPEN = 434; // the same on every architecture since Linux 5.1

  private static final long SYS_PIDFD_SEND_SIGNAL = 424;
  private static final long PIDFD_SIGNAL_PROCESS_GROUP = 1 << 2; // linux/pidfd.h, Linux 6.9

  private static volatile boolean groupSignals;

  private Signals() {}

  /** Signal 0 to our own group through our own pidfd: an older kernel refuses the flag. */
  static void probe(Libc libc) {
    var fd = (int) libc.syscall(SYS_PIDFD_OPEN, OWN_PID, 0, 0, 0);
    if (fd < 0) {
      return;
    }
    var rc =
        Errno.outcome(libc.syscall(SYS_PIDFD_SEND_SIGNAL, fd, 0, 0, PIDFD_SIGNAL_PROCESS_GROUP));
    groupSignals = rc == 0 || rc == -Errno.ESRCH;
    libc.close(fd);
  }

  /**
   * Tells whether {@link #pidfdSignalGroup} works here (Linux 6.9 and newer).
   *
   * @return whether a group can be signalled through its leader's pidfd
   */
  public static boolean hasGroupSignals() {
    return groupSignals;
  }

  /**
   * Opens a pidfd, close-on-exec. For a pid that is no child of ours the caller verifies after it
   * that the process is the one meant.
   *
   * @param pid the process
   * @return the descriptor or a negated error number, {@code ESRCH} when there is none
   */
  public static int pidfdOpen(int pid) {
    return (int) Errno.outcome(Native.libc().syscall(SYS_PIDFD_OPEN, pid, 0, 0, 0));
  }

  /**
   * Signals exactly the process of a pidfd, never one that got its number later.
   *
   * @param pidfd the process
   * @param signal the number, or {@link #PROBE}
   * @return 0 or a negated error number, {@code ESRCH} when it is reaped
   */
  public static int pidfdSignal(int pidfd, int signal) {
    return (int) Errno.outcome(Native.libc().syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0));
  }

  /**
   * Signals the group that the process of a pidfd led, also when that process is dead and reaped,
   * and never a group that got its number later.
   *
   * @param pidfd the leader
   * @param signal the number, or {@link #PROBE}
   * @return 0 or a negated error number: {@code ESRCH} when the group has no member, {@code EINVAL}
   *     where {@link #hasGroupSignals} is false
   */
  public static int pidfdSignalGroup(int pidfd, int signal) {
    var flags = PIDFD_SIGNAL_PROCESS_GROUP;
    return (int)
        Errno.outcome(Native.libc().syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, flags));
  }

  /**
   * Signals a group by number. Safe only while something pins the number: an unreaped leader or
   * placeholder, or a member that is known to live.
   *
   * @param pgid the group
   * @param signal the number, or {@link #PROBE}
   * @return 0 or a negated error number
   * @throws IllegalArgumentException if the group is 1 or less, ours, or our pid
   */
  public static int killGroup(int pgid, int signal) {
    requireForeignGroup(pgid);
    return Errno.outcome(Native.libc().kill(-pgid, signal));
  }

  /**
   * Signals a process by number. Safe only for an unreaped child of ours.
   *
   * @param pid the process
   * @param signal the number, or {@link #PROBE}
   * @return 0 or a negated error number
   * @throws IllegalArgumentException if the pid is 1 or less, or ours
   */
  public static int kill(int pid, int signal) {
    requireForeignPid(pid);
    return Errno.outcome(Native.libc().kill(pid, signal));
  }

  /**
   * Refuses what is no group of somebody else.
   *
   * @param pgid the group
   * @return the group
   * @throws IllegalArgumentException if the group is 1 or less, ours, or our pid
   */
  public static int requireForeignGroup(int pgid) {
    requireForeignPid(pgid);
    if (pgid == Native.libc().getpgid(0)) {
      throw new IllegalArgumentException(
          "The process group " + pgid + " is this JVM's own; it is never signalled.");
    }
    return pgid;
  }

  /**
   * Refuses what is no process of somebody else.
   *
   * @param pid the process
   * @return the process
   * @throws IllegalArgumentException if the pid is 1 or less, or ours
   */
  public static int requireForeignPid(int pid) {
    if (pid <= 1) {
      throw new IllegalArgumentException(
          "The id " + pid + " names init, a broadcast or nobody; it is never signalled.");
    }
    if (pid == OWN_PID) {
      throw new IllegalArgumentException(
          "The id " + pid + " is this JVM's own; it is never signalled.");
    }
    return pid;
  }

  /**
   * The process group of a process (getpgid(2)).
   *
   * @param pid the process
   * @return its group, or a negated error number
   */
  public static int groupOf(int pid) {
    var group = Native.libc().getpgid(pid);
    var errno = Errno.last();
    return group >= 0 ? group : -errno;
  }
}
