package dev.holdfast.testkit;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt, which many tests inject, does not cut short; the flag is restored. */
final class Uninterrupted {

  private Uninterrupted() {}

  /** A wait that an interrupt ends early; it is then begun again. */
  interface Wait<T> {
    T get() throws InterruptedException;
  }

  static int waitFor(Process process) {
    return keepFlag(process::waitFor);
  }

  static void join(Thread thread) {
    keepFlag(
        () -> {
          thread.join();
          return thread;
        });
  }

  static boolean join(Thread thread, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    return keepFlag(() -> thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime()))));
  }

  static boolean waitFor(Process process, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    return keepFlag(
        () -> process.waitFor(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS));
  }

  static void await(CountDownLatch latch) {
    keepFlag(
        () -> {
          latch.await();
          return latch;
        });
  }

  /** True if the latch opened before System.nanoTime() reached the end. */
  static boolean await(CountDownLatch latch, long end) {
    return keepFlag(() -> latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS));
  }

  static <T> T keepFlag(Wait<T> wait) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
