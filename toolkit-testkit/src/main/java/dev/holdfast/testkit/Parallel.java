package dev.holdfast.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * Runs the same thing for many inputs on a few platform threads, which have ended when it returns.
 */
final class Parallel {

  private Parallel() {}

  /** The results in the order of the inputs; after a failure what has not begun is not begun. */
  static <A, B> List<B> map(List<A> inputs, int threads, Function<A, B> function) {
    try (var executor = Executors.newFixedThreadPool(threads)) {
      var running = inputs.stream().map(in -> executor.submit(() -> function.apply(in))).toList();
      var results = new ArrayList<B>();
      for (Future<B> future : running) {
        results.add(Uninterrupted.keepFlag(() -> resultOf(future, executor)));
      }
      return results;
    }
  }

  private static <B> B resultOf(Future<B> future, ExecutorService executor)
      throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      executor.shutdownNow();
      throw new AssertionError("One of the runs failed.", e.getCause());
    }
  }
}
