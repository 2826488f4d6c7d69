package dev.holdfast.scope;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names now and then, in a WARN with its stack, what of the user's code holds up a close after all
 * else is gone. Owner's thread only.
 */
final class HoldUp {
  private static final Logger LOG = LoggerFactory.getLogger(Scope.class);
  private static final long FIRST_NANOS = 2_000_000_000L;
  private static final long LONGEST_NANOS = 60_000_000_000L;

  private long pause = FIRST_NANOS;
  private long since;

  /** Nothing of the user's holds up the close: until now it waited for something else. */
  void restart() {
    pause = FIRST_NANOS;
    since = System.nanoTime();
  }

  /** Whether it is time to name the holders. */
  boolean isDue() {
    long now = System.nanoTime();
    if (now - since < pause) {
      return false;
    }
    since = now;
    pause = longer(pause);
    return true;
  }

  /** Runs a finalizer that a virtual thread of its own names while it lasts. */
  static void run(String scope, Finalizer finalizer) throws Exception {
    Thread watch = watchOver(scope, Thread.currentThread());
    try {
      finalizer.run();
    } finally {
      if (watch != null) {
        watch.interrupt();
      }
    }
  }

  /** Null when there can't be one: the finalizer matters more than its watch. */
  private static @Nullable Thread watchOver(String scope, Thread holder) {
    try {
      return Thread.ofVirtual()
          .name("holdfast-finalizer-watch")
          .inheritInheritableThreadLocals(false)
          .start(() -> watch(scope, holder));
    } catch (Throwable t) {
      return null;
    }
  }

  private static void watch(String scope, Thread holder) {
    try {
      for (long pause = FIRST_NANOS; ; pause = longer(pause)) {
        Thread.sleep(pause / 1_000_000);
        warn("finalizer of scope '" + scope + "'", holder);
      }
    } catch (InterruptedException e) {
      // The finalizer has ended.
    } catch (OutOfMemoryError e) {
      // It goes on without its watch.
    }
  }

  private static long longer(long pause) {
    return Math.min(LONGEST_NANOS, pause * 2);
  }

  static void warn(String what, @Nullable Thread holder) {
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
