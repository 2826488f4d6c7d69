package dev.holdfast.scope;

import java.time.Duration;
import java.util.Objects;

/** Durations as nanoseconds that can be added to a clock without overflow. */
final class Nanos {
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Nanos() {}

  static long of(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    return timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
  }
}
