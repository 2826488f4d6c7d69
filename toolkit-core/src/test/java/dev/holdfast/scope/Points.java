package dev.holdfast.scope;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Strikes, once, at the first pass of the halt point of that name; takes itself out when closed.
 */
final class Points implements AutoCloseable {
  private final List<String> passed = Collections.synchronizedList(new ArrayList<>());
  private final AtomicBoolean fired = new AtomicBoolean();

  private Points() {}

  static Points recording() {
    return when(point -> false, () -> {});
  }

  static Points at(String name, Runnable action) {
    return when(point -> point.name().equals(name), action);
  }

  /** Passes of other threads don't count. */
  static Points onThisThreadAt(String name, Runnable action) {
    Thread thread = Thread.currentThread();
    return when(point -> point.name().equals(name) && Thread.currentThread() == thread, action);
  }

  private static Points when(Predicate<HaltPoint> condition, Runnable action) {
    Points points = new Points();
    HaltPoint.inject(
        point -> {
          points.passed.add(point.name());
          if (condition.test(point) && points.fired.compareAndSet(false, true)) {
            action.run();
          }
        });
    return points;
  }

  List<String> passed() {
    return List.copyOf(passed);
  }

  boolean hasFired() {
    return fired.get();
  }

  @Override
  public void close() {
    HaltPoint.inject(null);
  }
}
