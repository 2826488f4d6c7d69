package dev.holdfast.scope;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names now and then, in a WARN with its stack, what of the user's code holds up a close. Owner's
 * thread only.
 */
final class HoldUp {
  private static final Logger LOG = LoggerFactory.getLogger(Scope.class);
  private static final long FIRST_NANOS = 2_000_000_000L;
  private static final long LONGEST_NANOS = 60_000_000_000L;

  private long pause = FIRST_NANOS;
  private long since = System.nanoTime();

  /** Warns of those bodies when the pause is over. */
  void report(Supplier<List<Body<?>>> holders) {
    if (System.nanoTime() - since < pause) {
      return;
    }
    for (Body<?> body : holders.get()) {
      warn("body of a scope", body.thread());
    }
    since = System.nanoTime();
    pause = Math.min(LONGEST_NANOS, pause * 2);
  }

  /** Runs a finalizer that a virtual thread of its own names while it lasts. */
  static void run(String scope, Finalizer finalizer) throws Exception {
    Thread watch = watchOver("finalizer of scope '" + scope + "'", Thread.currentThread());
    try {
      finalizer.run();
    } finally {
      if (watch != null) {
        watch.interrupt();
      }
    }
  }

  /** Null when there is no memory for it: the finalizer matters more than its watch. */
  private static @Nullable Thread watchOver(String what, Thread holder) {
    try {
      return Thread.ofVirtual().name("holdfast-finalizer-watch").start(() -> watch(what, holder));
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  private static void watch(String what, Thread holder) {
    try {
      for (long pause = FIRST_NANOS; ; pause = Math.min(LONGEST_NANOS, pause * 2)) {
        Thread.sleep(pause / 1_000_000);
        warn(what, holder);
      }
    } catch (InterruptedException e) {
      // The finalizer has ended.
    }
  }

  private static void warn(String what, @Nullable Thread holder) {
    if (holder != null) {
      LOG.warn(
          "A {} holds up the close; all processes of the scope are gone. {}{}",
          what,
          holder,
          Arrays.stream(holder.getStackTrace())
              .map(frame -> "\n    at " + frame)
              .collect(Collectors.joining()));
    }
  }
}
