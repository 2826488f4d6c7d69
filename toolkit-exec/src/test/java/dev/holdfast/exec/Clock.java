package dev.holdfast.exec;

import java.time.Duration;

/** How long something takes. */
final class Clock {
  private final long start = System.nanoTime();

  static Clock start() {
    return new Clock();
  }

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
