package dev.holdfast.scope;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Waits that end in a failure which shows where the other thread stands, not in a hang. */
final class Patience {
  static final Duration LIMIT = Duration.ofSeconds(30);

  private Patience() {}

  /** Code of a test that may throw anything. */
  @FunctionalInterface
  interface Code {
    void run() throws Exception;
  }

  /** Runs the code on a platform thread of its own. */
  static void onOwnThread(Code code) throws Exception {
    onOwnThread(0, code);
  }

  /** Runs the code on a platform thread with a stack of that many bytes. */
  static void onOwnThread(long stackBytes, Code code) throws Exception {
    FutureTask<Void> task = task(code);
    Thread thread = new Thread(null, task, "own", stackBytes);
    thread.setDaemon(true);
    thread.start();
    await(thread);
    outcome(task);
  }

  static FutureTask<Void> task(Code code) {
    return new FutureTask<>(
        () -> {
          code.run();
          return null;
        });
  }

  /** What the task has thrown is thrown as it is. */
  static <T> T outcome(FutureTask<T> task) throws Exception {
    try {
      return task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  static <T> T call(Callable<T> code) throws Exception {
    FutureTask<T> task = new FutureTask<>(code);
    Thread thread = Thread.ofPlatform().daemon().start(task);
    await(thread);
    return outcome(task);
  }

  static void await(Thread thread) throws InterruptedException {
    if (!thread.join(LIMIT)) {
      AssertionError hung = new AssertionError(thread + " has not ended within " + LIMIT);
      hung.setStackTrace(thread.getStackTrace());
      throw hung;
    }
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("not reached within " + LIMIT);
    }
  }
}
