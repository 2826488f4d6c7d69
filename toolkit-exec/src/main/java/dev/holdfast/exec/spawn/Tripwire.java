package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.AsyncSignal;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Signals;

/**
 * Two pipes whose write ends this JVM alone holds. When the JVM dies in whatever way, the kernel
 * closes them and sends KILL to the groups that own the read ends: no helper, no polling.
 *
 * <p>The first pipe is for the child's group; the child inherits its read end at {@link #CHILD_FD}
 * (first cover) and the JVM keeps it too (second cover, for a child that closes its own). The
 * second is for the leader's pid, which may become a group of its own. In each the write end has
 * the higher number: at exit the kernel releases the newest descriptor first, so a pipe fires
 * although nobody else holds its read end. One pipe with two read ends would do that as well, but
 * fire again when the first of these is released, so that a group got its signal twice.
 *
 * <p>Signal and O_ASYNC are set when it is prepared; arming is one call that names the owner.
 * Confined to one thread at a time.
 */
public final class Tripwire implements AutoCloseable {
  /** The number of the read end in a child. */
  public static final int CHILD_FD = 100;

  private static final int PAGE = 4096;

  private final NativeBlock scratch = NativeBlock.allocate(AsyncSignal.SCRATCH_BYTES);
  private final Line group = new Line();
  private final Line leader = new Line();

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
      wire.group.open();
      wire.leader.open();
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
    return group.readEnd;
  }

  /**
   * Arms the wire for a group, before its first real member exists.
   *
   * @param pgid the placeholder's group
   * @return 0 or a negated error number, {@code ESRCH} when nobody has that number
   * @throws IllegalArgumentException if the group is 1 or less, ours, or our pid
   */
  public int armGroup(int pgid) {
    return AsyncSignal.ownedByGroup(group.readEnd, pgid, scratch);
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
      group.readEnd = closed(group.readEnd);
    }
    return Cover.LEADER_READ_END.isOut()
        ? 0
        : AsyncSignal.ownedByGroup(leader.readEnd, pid, scratch);
  }

  /**
   * Takes the wire down without firing it: disarms both read ends, then closes all. A copy of the
   * first that a descendant still holds is disarmed too, as it shares the description. May be
   * called again, also after an Error in its middle.
   */
  public void disarmAndClose() {
    group.disarm();
    leader.disarm();
    group.close();
    leader.close();
  }

  /** The same as {@link #disarmAndClose}. */
  @Override
  public void close() {
    disarmAndClose();
  }

  private static int closed(int fd) {
    if (fd >= 0) {
      Fds.close(fd);
    }
    return -1;
  }

  /** One pipe: the owner of its read end gets the signal when nobody holds the write end. */
  private static final class Line {
    private int readEnd = -1;
    private int writeEnd = -1;

    void open() {
      var pipe = Fds.pipe();
      readEnd = pipe.readEnd();
      writeEnd = pipe.writeEnd();
      writeEnd = Fds.raise(writeEnd, readEnd + 1);
      // A user's pipes have a common budget of pages (pipe(7), pipe-user-pages-soft).
      require("fcntl(F_SETPIPE_SZ)", Fds.setPipeSize(writeEnd, PAGE));
      require("fcntl(F_SETSIG)", AsyncSignal.enable(readEnd, Signals.KILL));
    }

    void disarm() {
      if (readEnd >= 0) {
        AsyncSignal.disable(readEnd);
      }
    }

    void close() {
      writeEnd = closed(writeEnd);
      readEnd = closed(readEnd);
    }

    private static void require(String call, int rc) {
      if (rc < 0) {
        throw new ErrnoException(call, -rc);
      }
    }
  }
}
