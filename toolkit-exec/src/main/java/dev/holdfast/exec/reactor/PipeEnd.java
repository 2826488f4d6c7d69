package dev.holdfast.exec.reactor;

import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Our end of a pipe, used by one thread at a time, which parks until the reactor finds it ready.
 *
 * <p>The user publishes itself in {@code waiter} before it arms the descriptor (one-shot); the
 * reactor puts {@code READY} in its place and then unparks: no wake-up is lost, whatever the order.
 * While the end is in use only its user closes the descriptor; others {@linkplain #cut cut} it.
 */
abstract class PipeEnd extends Entry {
  private static final Object READY = new Object();
  private static final int EAGAIN = 11;

  /** Who may close the descriptor. */
  private enum Use {
    FREE,
    BUSY,
    /** In use for an instant, without waiting. */
    BUSY_NOW,
    CUT_WHILE_BUSY,
    CLOSED
  }

  private final int interest;
  private final Runnable onClose;
  private final NativeBlock ctl = NativeBlock.allocate(Epoll.SCRATCH_BYTES);
  private final AtomicReference<@Nullable Object> waiter = new AtomicReference<>();
  private final AtomicReference<Use> use = new AtomicReference<>(Use.FREE);
  private int fd = -1; // before the end is published
  private volatile boolean nudged; // set once, by anyone

  /**
   * @param interest what of {@code epoll_ctl(2)} to wait for
   * @param onClose called once, by the thread that closes the descriptor
   */
  PipeEnd(int interest, Runnable onClose) {
    this.interest = interest;
    this.onClose = onClose;
  }

  /** Takes over a descriptor that doesn't block. 0 or a negative errno; then it is closed. */
  final int open(int pipe) {
    fd = pipe;
    int rc = Reactor.get().watch(pipe, Epoll.ONE_SHOT, this, ctl);
    if (rc < 0) {
      fd = -1;
      Fds.close(pipe);
    }
    return rc;
  }

  /** One transfer: the number of bytes, or a negative errno. */
  abstract long transfer(int pipe);

  /** Transfers, waiting as long as it takes. {@link #CUT} when the end was cut or closed. */
  final long await(Interruptible interruptible) throws InterruptedException {
    if (!beginUse()) {
      return CUT;
    }
    try {
      return awaitInUse(interruptible);
    } finally {
      endUse();
    }
  }

  /** Takes the end into use; false when it was cut or closed. */
  final boolean beginUse() {
    Use before;
    while ((before = use.compareAndExchange(Use.FREE, Use.BUSY)) == Use.BUSY_NOW) {
      Thread.onSpinWait();
    }
    if (before == Use.BUSY) {
      throw new IllegalStateException("Two threads use the same end of a pipe.");
    }
    return before == Use.FREE;
  }

  /** As {@link #await}, by the thread that has the end in use. */
  final long awaitInUse(Interruptible interruptible) throws InterruptedException {
    while (use.get() == Use.BUSY && !nudged) {
      long n = transfer(fd);
      if (n != -EAGAIN) {
        return n;
      }
      park(interruptible);
    }
    return CUT;
  }

  /** What {@link #await} returns when the end was cut. */
  static final long CUT = Long.MIN_VALUE;

  /** What an interrupt does to a wait. */
  enum Interruptible {
    /** Ends it. */
    YES,
    /** Nothing; the flag is restored when the wait is over. */
    NO
  }

  private void park(Interruptible interruptible) throws InterruptedException {
    boolean interrupted = false;
    waiter.set(Thread.currentThread());
    Reactor.get().rewatch(fd, interest | Epoll.ONE_SHOT, this, ctl);
    try {
      while (waiter.get() != READY && use.get() == Use.BUSY && !nudged) {
        LockSupport.park(this);
        if (Thread.interrupted()) {
          if (interruptible == Interruptible.YES) {
            throw new InterruptedException();
          }
          interrupted = true;
        }
      }
    } finally {
      waiter.set(null);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  protected final void ready(int events) {
    if (waiter.getAndSet(READY) instanceof Thread thread) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  protected final void advance(int requests, boolean isDue) {
    ready(0);
  }

  @Override
  protected final void reactorDied() {
    cut();
  }

  /** Ends the use of this end, now or as soon as its user wakes. Any thread; idempotent. */
  final void cut() {
    while (true) {
      Use now = use.get();
      if (now == Use.CUT_WHILE_BUSY || now == Use.CLOSED) {
        return;
      }
      Use then = now == Use.FREE ? Use.CLOSED : Use.CUT_WHILE_BUSY;
      if (use.compareAndSet(now, then)) {
        endAsCut(now);
        return;
      }
    }
  }

  private void endAsCut(Use before) {
    if (before == Use.FREE) {
      closeFd();
    } else {
      ready(0);
    }
  }

  /** Ends every wait, now and later, as a cut does, but leaves the descriptor open. Any thread. */
  final void nudge() {
    nudged = true;
    ready(0);
  }

  /** Takes the end into use, for transfers that don't wait; false when it is in use or closed. */
  final boolean tryUse() {
    return use.compareAndSet(Use.FREE, Use.BUSY_NOW);
  }

  /** A transfer that doesn't wait, by whoever has the end in use. */
  final long transferNow() {
    return transfer(fd);
  }

  /** Ends the use, and what was cut meanwhile. */
  final void endUse() {
    Use now = use.get();
    if (now == Use.CUT_WHILE_BUSY || !use.compareAndSet(now, Use.FREE)) {
      use.set(Use.CLOSED);
      closeFd();
    }
  }

  final boolean isOpen() {
    Use now = use.get();
    return now == Use.FREE || now == Use.BUSY || now == Use.BUSY_NOW;
  }

  private void closeFd() {
    int pipe = fd;
    if (pipe >= 0) {
      fd = -1;
      try {
        Reactor.get().unwatch(pipe);
      } finally {
        Fds.close(pipe);
      }
    }
    Reactor.get().release(this);
    onClose.run();
  }

  /** Gives the descriptor away, unwatched; -1 when the end is in use or closed. Any thread. */
  final int giveUp() {
    if (!use.compareAndSet(Use.FREE, Use.CLOSED)) {
      return -1;
    }
    int pipe = fd;
    fd = -1;
    Reactor.get().unwatch(pipe);
    Reactor.get().release(this);
    return pipe;
  }
}
