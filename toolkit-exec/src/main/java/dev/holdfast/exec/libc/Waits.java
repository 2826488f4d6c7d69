package dev.holdfast.exec.libc;

import jnr.constants.platform.WaitFlags;

/** Waiting for children, never for all of them at once, and what their status means. */
public final class Waits {
  /** The child has not ended, or a tracer has not let go of it yet. */
  public static final int NOT_YET = 0;

  /** The child has ended and is not reaped. */
  public static final int EXITED = 1;

  /** Bytes of a block for {@link #peekExit} and {@link #reap}. */
  public static final int BLOCK_BYTES = 160;

  private static final int WNOHANG = WaitFlags.WNOHANG.intValue();
  private static final int WEXITED = WaitFlags.WEXITED.intValue();
  private static final int WNOWAIT = WaitFlags.WNOWAIT.intValue();
  private static final int P_PID = 1;

  // siginfo_t on 64-bit Linux: signo, errno, code, padding, pid.
  private static final int SI_PID_OFFSET = 16;
  private static final int RUSAGE_OFFSET = 16;
  private static final int SYSTEM_TIME_OFFSET = RUSAGE_OFFSET + 16;
  private static final int MAX_RSS_OFFSET = RUSAGE_OFFSET + 32;

  private Waits() {}

  /**
   * Looks whether a child has ended, and leaves it as it is. Allocates nothing.
   *
   * @param pid the child
   * @param block {@link #BLOCK_BYTES} that nobody else uses; overwritten
   * @return {@link #NOT_YET}, {@link #EXITED} or a negated error number, {@code ECHILD} when it is
   *     no child of ours or already reaped
   */
  public static int peekExit(int pid, NativeBlock block) {
    block.putInt(SI_PID_OFFSET, 0);
    while (true) {
      var info = block.address();
      var rc = Errno.outcome(Native.libc().waitid(P_PID, pid, info, WEXITED | WNOWAIT | WNOHANG));
      block.keep();
      if (rc == 0) {
        return block.getInt(SI_PID_OFFSET) == 0 ? NOT_YET : EXITED;
      }
      if (rc != -Errno.EINTR) {
        return rc;
      }
    }
  }

  /**
   * Waits until a child has ended, and leaves it as it is; for children whose end is a matter of
   * microseconds.
   *
   * @param pid the child
   * @return 0 or a negated error number
   */
  public static int awaitExit(int pid) {
    Signals.requireForeignPid(pid);
    while (true) {
      var rc = Errno.outcome(Native.libc().waitid(P_PID, pid, 0, WEXITED | WNOWAIT));
      if (rc != -Errno.EINTR) {
        return rc;
      }
    }
  }

  /**
   * Reaps a child that has ended. Allocates nothing; never blocks.
   *
   * @param pid the child
   * @param block {@link #BLOCK_BYTES} that nobody else uses; gets the status and the usage
   * @return the pid when it was reaped, 0 when it has not ended, or a negated error number
   */
  public static int reap(int pid, NativeBlock block) {
    Signals.requireForeignPid(pid);
    var usage = block.address(RUSAGE_OFFSET);
    while (true) {
      var rc = Errno.outcome(Native.libc().wait4(pid, block.address(), WNOHANG, usage));
      block.keep();
      if (rc != -Errno.EINTR) {
        return rc;
      }
    }
  }

  /**
   * Reaps a child and waits for its end; for children whose end is a matter of microseconds.
   *
   * @param pid the child
   * @return the pid or a negated error number
   */
  public static int reapBlocking(int pid) {
    Signals.requireForeignPid(pid);
    while (true) {
      var rc = Errno.outcome(Native.libc().waitpid(pid, 0, 0));
      if (rc != -Errno.EINTR) {
        return rc;
      }
    }
  }

  /**
   * Reaps all zombies of ours in a group: orphans that came to us. To be called only when the
   * leader, if it was of this group, is reaped and its status kept.
   *
   * @param pgid the group
   * @return how many were reaped
   */
  public static int reapGroupZombies(int pgid) {
    Signals.requireForeignGroup(pgid);
    var reaped = 0;
    while (true) {
      var rc = Errno.outcome(Native.libc().waitpid(-pgid, 0, WNOHANG));
      if (rc > 0) {
        reaped++;
      } else if (rc != -Errno.EINTR) {
        return reaped;
      }
    }
  }

  /**
   * The status that {@link #reap} left in a block.
   *
   * @param block the block
   * @return the status as wait(2) gives it
   */
  public static int status(NativeBlock block) {
    return block.getInt(0);
  }

  /**
   * The user time that {@link #reap} left in a block.
   *
   * @param block the block
   * @return microseconds, of the child and the descendants that it reaped
   */
  public static long userMicros(NativeBlock block) {
    return micros(block, RUSAGE_OFFSET);
  }

  /**
   * The system time that {@link #reap} left in a block.
   *
   * @param block the block
   * @return microseconds, of the child and the descendants that it reaped
   */
  public static long systemMicros(NativeBlock block) {
    return micros(block, SYSTEM_TIME_OFFSET);
  }

  /**
   * The largest resident set that {@link #reap} left in a block.
   *
   * @param block the block
   * @return KiB, the largest of the child and the descendants that it reaped
   */
  public static long maxRssKib(NativeBlock block) {
    return block.getLong(MAX_RSS_OFFSET);
  }

  /**
   * Tells whether a process ended by itself.
   *
   * @param status as wait(2) gives it
   * @return whether {@link #exitCode} means something
   */
  public static boolean exited(int status) {
    return (status & 0x7f) == 0;
  }

  /**
   * The exit code.
   *
   * @param status as wait(2) gives it
   * @return 0 to 255
   */
  public static int exitCode(int status) {
    return (status >> 8) & 0xff;
  }

  /**
   * Tells whether a signal ended a process.
   *
   * @param status as wait(2) gives it
   * @return whether {@link #signal} means something
   */
  public static boolean signaled(int status) {
    return !exited(status) && (status & 0x7f) != 0x7f;
  }

  /**
   * The signal that ended a process.
   *
   * @param status as wait(2) gives it
   * @return its number
   */
  public static int signal(int status) {
    return status & 0x7f;
  }

  /**
   * Tells whether a process left a core dump.
   *
   * @param status as wait(2) gives it
   * @return whether it did
   */
  public static boolean coreDumped(int status) {
    return (status & 0x80) != 0;
  }

  private static long micros(NativeBlock block, int offset) {
    return block.getLong(offset) * 1_000_000 + block.getLong(offset + 8L);
  }
}
