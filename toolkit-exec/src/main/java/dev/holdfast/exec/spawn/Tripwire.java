package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.AsyncSignal;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Signals;

/**
 * A pipe whose write end this JVM alone holds. When the JVM dies in whatever way, the kernel closes
 * it and sends KILL to the groups that the read ends are owned by: no helper, no polling.
 *
 * <p>Three descriptors. The first read end is for the group; the child inherits it at {@link
 * #CHILD_FD} (first cover) and the JVM keeps it too (second cover, for a child that closes its
 * own). The second read end, a description of its own, is for the leader's pid, which may become a
 * group of its own. The write end has the highest number: at exit the kernel releases the newest
 * descriptor first, so the wire fires although nobody else holds a read end.
 *
 * <p>Signal and O_ASYNC are set when it is prepared; arming is one call that names the owner.
 * Confined to one thread at a time.
 */
public final class Tripwire implements AutoCloseable {
  /** The number of the read end in a child. */
  public static final int CHILD_FD = 100;

  private static final int PAGE = 4096;

  private final NativeBlock scratch = NativeBlock.allocate(AsyncSignal.SCRATCH_BYTES);
  private int groupEnd = -1;
  private int leaderEnd = -1;
  private int writeEnd = -1;

  private Tripwire() {}

  /**
   * Makes a wire that is armed for nobody yet.
   *
   * @return the wire
   * @throws ErrnoException if a step was refused; nothing is left open then
   */
  public static Tripwire prepare() {
    var wire = new Tripwire();
    try {
      wire.open();
      return wire;
    } catch (Throwable t) {
      wire.close();
      throw t;
    }
  }

  /**
   * The read end that the child inherits, to be put at {@link #CHILD_FD}.
   *
   * @return the descriptor; owned by this object
   */
  public int childEnd() {
    return groupEnd;
  }

  /**
   * Arms the wire for a group, before its first real member exists.
   *
   * @param pgid the placeholder's group
   * @return 0 or a negated error number, {@code ESRCH} when nobody has that number
   * @throws IllegalArgumentException if the group is 1 or less, ours, or our pid
   */
  public int armGroup(int pgid) {
    return AsyncSignal.ownedByGroup(groupEnd, pgid, scratch);
  }

  /**
   * Arms the wire for a leader's pid, as the group that it is or may make. To be called before the
   * first wait on the leader, while the number is surely its own.
   *
   * @param pid the leader
   * @return 0 or a negated error number
   * @throws IllegalArgumentException if the pid is 1 or less, ours, or our group
   */
  public int armLeader(int pid) {
    Signals.requireForeignGroup(pid);
    if (Cover.KEPT_READ_END.isOut()) {
      Fds.close(groupEnd);
      groupEnd = -1;
    }
    return Cover.LEADER_READ_END.isOut() ? 0 : AsyncSignal.ownedByGroup(leaderEnd, pid, scratch);
  }

  /**
   * Takes the wire down without firing it: disarms both read ends, then closes all. A copy of the
   * first that a descendant still holds is disarmed too, as it shares the description. May be
   * called again, also after an Error in its middle.
   */
  public void disarmAndClose() {
    disarm(groupEnd);
    disarm(leaderEnd);
    writeEnd = closed(writeEnd);
    leaderEnd = closed(leaderEnd);
    groupEnd = closed(groupEnd);
  }

  /** The same as {@link #disarmAndClose}. */
  @Override
  public void close() {
    disarmAndClose();
  }

  private void open() {
    var pipe = Fds.pipe();
    groupEnd = pipe.readEnd();
    writeEnd = pipe.writeEnd();
    leaderEnd = Fds.reopenReadEnd(groupEnd);
    writeEnd = Fds.raise(writeEnd, Math.max(groupEnd, leaderEnd) + 1);
    // A user's pipes have a common budget of pages (pipe(7), pipe-user-pages-soft).
    require("fcntl(F_SETPIPE_SZ)", Fds.setPipeSize(writeEnd, PAGE));
    require("fcntl(F_SETSIG)", AsyncSignal.enable(groupEnd, Signals.KILL));
    require("fcntl(F_SETSIG)", AsyncSignal.enable(leaderEnd, Signals.KILL));
  }

  private static void require(String call, int rc) {
    if (rc < 0) {
      throw new ErrnoException(call, -rc);
    }
  }

  private static void disarm(int fd) {
    if (fd >= 0) {
      AsyncSignal.disable(fd);
    }
  }

  private static int closed(int fd) {
    if (fd >= 0) {
      Fds.close(fd);
    }
    return -1;
  }
}
