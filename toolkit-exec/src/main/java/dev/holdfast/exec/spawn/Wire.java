package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.Fds;

/**
 * One stream of a child: the descriptor that the child gets, and what we have at its other end.
 * Prepared by the spawning thread; from then on the reactor's, but for what says otherwise.
 */
abstract class Wire {
  /** Who is told of what happens on the wires of a child. */
  interface Owner {
    /** Output has come. Any thread. */
    void dataCame();

    /** A wire has ended, or its user's code has. Any thread. */
    void wireChanged();

    /** A sink's limit is passed. Reactor's thread. */
    void overLimit();
  }

  private int childFd = -1;
  private boolean ownsChildFd;

  /** Opens what is needed. What a failure leaves half open, {@link #close} closes. */
  abstract void prepare();

  /** The child's side, of which this side is in charge from now on. */
  final void childSide(int fd, boolean owned) {
    childFd = fd;
    ownsChildFd = owned;
  }

  final int childFd() {
    return childFd;
  }

  /** The child has it, or never will. */
  final void closeChildSide() {
    if (ownsChildFd) {
      ownsChildFd = false;
      Fds.close(childFd);
    }
  }

  /** The child is there: starts what needs a thread. May be called again after an Error. */
  void attach() {}

  /** Whether output may still come that the drain waits for. */
  boolean isDraining() {
    return false;
  }

  /** The leader has exited. */
  void leaderExited() {}

  /** The drain is over: what has come is kept, what comes from now on is thrown away. */
  void stopReading() {}

  /** Whether code of the user's is still given time to finish. */
  boolean isFinishing(long now) {
    return false;
  }

  /** That time is over, too. */
  void cut() {}

  /** Whether all output has been read. Any thread, after the drain. */
  boolean isWhole() {
    return true;
  }

  /** Closes what is ours and not the caller's. Idempotent. */
  void close() {
    closeChildSide();
  }

  /** Makes a pipe whose one end is the child's; returns ours, which doesn't block. */
  final int pipe(boolean childWrites) {
    Fds.Pipe pipe = Fds.pipe();
    int ours = childWrites ? pipe.readEnd() : pipe.writeEnd();
    childSide(childWrites ? pipe.writeEnd() : pipe.readEnd(), true);
    boolean made = false;
    try {
      int rc = Fds.setNonBlocking(ours, true);
      if (rc < 0) {
        throw new ErrnoException("fcntl(F_SETFL)", -rc);
      }
      made = true;
      return ours;
    } finally {
      if (!made) {
        Fds.close(ours);
      }
    }
  }

  /** An end that can't watch its descriptor has closed it. */
  static void requireTaken(int rc) {
    if (rc < 0) {
      throw new ErrnoException("epoll_ctl(EPOLL_CTL_ADD)", -rc);
    }
  }
}
