package dev.holdfast.exec.spawn;

import dev.holdfast.scope.HaltPoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Something that happens once in the life of a child. It is told by the reactor, and waited for by
 * anyone; what others hang on its future runs on a virtual thread, never on the reactor's.
 */
public final class Event {
  private static final HaltPoint AWAIT_BEGIN = HaltPoint.named("event.await");
  private static final HaltPoint AWAIT_DONE = HaltPoint.named("event.awaited");

  private static final long FOR_EVER = Long.MAX_VALUE;

  private volatile boolean happened; // written under this
  private @Nullable CompletableFuture<Void> future; // guarded by this
  private @Nullable Waiter waiters; // guarded by this

  /** An event that has not happened. */
  Event() {}

  /** It has happened. May be told again, which completes what a full heap kept off. */
  void happen() {
    CompletableFuture<Void> waiting;
    synchronized (this) {
      happened = true;
      for (Waiter waiter = waiters; waiter != null; waiter = waiter.next) {
        LockSupport.unpark(waiter.thread);
      }
      waiting = future;
    }
    if (waiting != null && !waiting.isDone()) {
      complete(waiting);
    }
  }

  private static void complete(CompletableFuture<Void> waiting) {
    Thread.ofVirtual().name("holdfast-event").start(() -> waiting.complete(null));
  }

  /**
   * Whether it has happened.
   *
   * @return true from the moment on at which it happened
   */
  public boolean hasHappened() {
    return happened;
  }

  /**
   * Waits for it.
   *
   * @param nanos how long at most
   * @return false when the time is up
   * @throws InterruptedException when interrupted
   */
  public boolean await(long nanos) throws InterruptedException {
    AWAIT_BEGIN.pass();
    if (!happened && !park(nanos)) {
      return false;
    }
    AWAIT_DONE.pass();
    return true;
  }

  private boolean park(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    Waiter self = new Waiter();
    add(self);
    try {
      while (!happened) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        long left = nanos - (System.nanoTime() - start);
        if (left <= 0) {
          return false;
        }
        if (nanos == FOR_EVER) {
          LockSupport.park(this);
        } else {
          LockSupport.parkNanos(this, left);
        }
      }
      return true;
    } finally {
      remove(self);
    }
  }

  private synchronized void add(Waiter waiter) {
    waiter.next = waiters;
    waiters = waiter;
  }

  private synchronized void remove(Waiter waiter) {
    if (waiters == waiter) {
      waiters = waiter.next;
      return;
    }
    for (Waiter before = waiters; before != null; before = before.next) {
      if (before.next == waiter) {
        before.next = waiter.next;
        return;
      }
    }
  }

  /**
   * Waits for it as long as it takes.
   *
   * @throws InterruptedException when interrupted
   */
  public void await() throws InterruptedException {
    await(FOR_EVER);
  }

  /** Waits for it as long as it takes; an interrupt is kept in the flag. */
  public void awaitUninterruptibly() {
    boolean interrupted = false;
    while (true) {
      try {
        await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * A future of it. What the caller does with it touches nobody else.
   *
   * @return a new future
   */
  public CompletableFuture<Void> future() {
    synchronized (this) {
      if (happened) {
        return CompletableFuture.completedFuture(null);
      }
      if (future == null) {
        future = new CompletableFuture<>();
      }
      return future.copy();
    }
  }

  /**
   * A thread that waits. It parks: a virtual thread that waits in a monitor is woken by way of
   * another thread, and with a limit needs a timer.
   */
  private static final class Waiter {
    final Thread thread = Thread.currentThread();
    @Nullable Waiter next; // guarded by the event
  }
}
