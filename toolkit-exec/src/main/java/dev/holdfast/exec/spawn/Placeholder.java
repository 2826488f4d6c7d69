package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.CloneCall;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Spares;
import dev.holdfast.exec.libc.Threads;
import dev.holdfast.exec.libc.Waits;

/**
 * A process that ended before it did anything: a zombie that leads a group of its own, so that a
 * tripwire can be armed for the group before the first real member is spawned into it. The pid and
 * the group's number stay taken until {@link #reap}. Confined to one thread at a time.
 */
public final class Placeholder implements PlaceholderAttempt {
  private static final int STACK_BYTES = 16 << 10;
  private static final NativeBlock BLOCKED = Threads.asynchronousSignals();
  private static final Spares<Scratch> SPARES = new Spares<>();

  private enum State {
    EMPTY,
    ENDING,
    ZOMBIE,
    REAPED
  }

  private final Scratch scratch = Scratch.take();
  private int pid;
  private int pidfd = -1;
  private State state = State.EMPTY;

  private Placeholder() {}

  /**
   * No placeholder could be made, and nothing of it is left.
   *
   * @param call the call that was refused
   * @param errno why, positive
   */
  public record Refused(String call, int errno) implements PlaceholderAttempt {
    /**
     * Tells a shortage from a kernel or sandbox that never gives placeholders, where a child is
     * armed after its spawn instead.
     *
     * @return whether processes, descriptors or memory have run out
     */
    public boolean isShortage() {
      return errno == Errno.EAGAIN
          || errno == Errno.ENOMEM
          || errno == Errno.EMFILE
          || errno == Errno.ENFILE;
    }
  }

  /**
   * Makes a placeholder, as {@link #begin} and {@link #lead} do.
   *
   * @return a {@link Placeholder} or why there is none
   */
  public static PlaceholderAttempt create() {
    var begun = begin();
    if (!(begun instanceof Placeholder placeholder)) {
      return begun;
    }
    try {
      return placeholder.lead();
    } catch (Throwable t) {
      placeholder.reap();
      throw t;
    }
  }

  /**
   * Makes the process, which ends while the caller does something else. To be followed by {@link
   * #lead}, or by {@link #reap} alone.
   *
   * @return a {@link Placeholder} that leads no group yet, or why there is none
   */
  public static PlaceholderAttempt begin() {
    if (Cover.PLACEHOLDER.isOut()) {
      return new Refused("clone", Errno.ENOSYS);
    }
    var placeholder = new Placeholder();
    try {
      return placeholder.start();
    } catch (Throwable t) {
      placeholder.scratch.unblock();
      placeholder.reap();
      throw t;
    }
  }

  /**
   * Waits for the end of the process, and gives it a group of its own and a pidfd.
   *
   * @return this, or why it can't be a placeholder; it is reaped then
   */
  public PlaceholderAttempt lead() {
    var rc = Waits.awaitExit(pid);
    if (rc < 0) {
      return refuse("waitid", -rc);
    }
    state = State.ZOMBIE;
    scratch.giveBack();
    rc = CloneCall.makeGroupLeader(pid);
    if (rc < 0) {
      return refuse("setpgid", -rc);
    }
    rc = Signals.pidfdOpen(pid);
    if (rc < 0) {
      return refuse("pidfd_open", -rc);
    }
    pidfd = rc;
    return this;
  }

  /**
   * The process, which is the group too.
   *
   * @return its pid
   */
  public int pid() {
    return pid;
  }

  /**
   * The pidfd of the process, which signals the group for ever after, without reuse.
   *
   * @return the descriptor; still owned by this object
   */
  public int pidfd() {
    return pidfd;
  }

  /**
   * Hands the pidfd over to the caller, who closes it.
   *
   * @return the descriptor, or -1 if it was handed over before
   */
  public int takePidfd() {
    var taken = pidfd;
    pidfd = -1;
    return taken;
  }

  /**
   * Reaps the process and closes the pidfd unless that was taken. After this only a member keeps
   * the group's number from being used again. May be called again, also after an Error in its
   * middle.
   */
  public void reap() {
    if (state == State.EMPTY || state == State.REAPED) {
      return;
    }
    if (pidfd >= 0) {
      Fds.close(pidfd);
      pidfd = -1;
    }
    Waits.reapBlocking(pid);
    if (state == State.ENDING) {
      scratch.giveBack();
    }
    state = State.REAPED;
  }

  private PlaceholderAttempt start() {
    var rc = scratch.block();
    if (rc < 0) {
      scratch.giveBack();
      return new Refused("pthread_sigmask", -rc);
    }
    pid = CloneCall.exitAtOnce(scratch.stack);
    state = pid > 0 ? State.ENDING : State.EMPTY;
    scratch.unblock();
    if (pid < 0) {
      scratch.giveBack();
      return new Refused("clone", -pid);
    }
    return this;
  }

  private Refused refuse(String call, int errno) {
    reap();
    return new Refused(call, errno);
  }

  /**
   * A stack, which the process uses until it has ended, and the mask of the thread that makes it.
   *
   * <p>Asynchronous signals are blocked around the clone. The child shares this JVM's memory: a
   * handler of the JVM that ran in it, as for a Ctrl-C while it is still in our group, would run on
   * its small stack.
   */
  private static final class Scratch {
    private final NativeBlock stack = NativeBlock.allocate(STACK_BYTES);
    private final NativeBlock mask = NativeBlock.allocate(Threads.SET_BYTES);
    private boolean blocked;

    static Scratch take() {
      var spare = SPARES.take();
      return spare == null ? new Scratch() : spare;
    }

    int block() {
      var rc = Threads.block(BLOCKED, mask);
      blocked = rc == 0;
      return rc;
    }

    void unblock() {
      if (blocked) {
        Threads.restore(mask);
        blocked = false;
      }
    }

    void giveBack() {
      SPARES.give(this);
    }
  }
}
