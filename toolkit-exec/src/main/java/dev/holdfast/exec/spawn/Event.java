package dev.holdfast.exec.spawn;

import dev.holdfast.scope.HaltPoint;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Something that happens once in the life of a child. It is told by the reactor, and waited for by
 * anyone; what others hang on its future runs on a virtual thread, never on the reactor's.
 */
public final class Event {
  private static final HaltPoint AWAIT_BEGIN = HaltPoint.named("event.await");
  private static final HaltPoint AWAIT_DONE = HaltPoint.named("event.awaited");

  private boolean happened; // guarded by this
  private @Nullable CompletableFuture<Void> future; // guarded by this

  /** An event that has not happened. */
  Event() {}

  /** It has happened. May be told again, which completes what a full heap kept off. */
  void happen() {
    CompletableFuture<Void> waiting;
    synchronized (this) {
      if (!happened) {
        happened = true;
        notifyAll();
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
  public synchronized boolean hasHappened() {
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
    long start = System.nanoTime();
    synchronized (this) {
      while (!happened) {
        long left = nanos - (System.nanoTime() - start);
        if (left <= 0) {
          return false;
        }
        wait(left / 1_000_000 + 1);
      }
    }
    AWAIT_DONE.pass();
    return true;
  }

  /**
   * Waits for it as long as it takes.
   *
   * @throws InterruptedException when interrupted
   */
  public void await() throws InterruptedException {
    await(Long.MAX_VALUE);
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
}
