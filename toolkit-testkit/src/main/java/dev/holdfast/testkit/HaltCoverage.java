package dev.holdfast.testkit;

import dev.holdfast.scope.HaltPoint;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * How often each halt point was passed and struck over many tries, so that a property can assert
 * that chance has reached every one of them. Thread-safe.
 */
public final class HaltCoverage {

  private final Map<String, Integer> passed = new TreeMap<>(); // guarded by this
  private final Map<String, Integer> fired = new TreeMap<>(); // guarded by this

  /** Makes a coverage of nothing. */
  public HaltCoverage() {}

  /**
   * Adds what an injector has noted; once for each injector, at its end.
   *
   * @param injector the injector
   */
  public synchronized void add(HaltInjector injector) {
    injector.names().forEach(name -> passed.merge(name, 1, Integer::sum));
    injector.fired().ifPresent(pass -> fired.merge(pass.point(), 1, Integer::sum));
  }

  /**
   * How often a point was passed.
   *
   * @param point its name
   * @return the count
   */
  public synchronized int passed(String point) {
    return passed.getOrDefault(point, 0);
  }

  /**
   * How often an injection struck at a point.
   *
   * @param point its name
   * @return the count
   */
  public synchronized int fired(String point) {
    return fired.getOrDefault(point, 0);
  }

  /**
   * Asserts that every known halt point of some kind was struck so often.
   *
   * @param times the least count
   * @param which tells by the name which points matter
   * @throws AssertionError that names the points that fell short, or says that no point matters
   */
  public synchronized void assertFired(int times, Predicate<String> which) {
    assertCounts(fired, "struck", times, which);
  }

  /**
   * Asserts that every known halt point of some kind was passed so often.
   *
   * @param times the least count
   * @param which tells by the name which points matter
   * @throws AssertionError that names the points that fell short, or says that no point matters
   */
  public synchronized void assertPassed(int times, Predicate<String> which) {
    assertCounts(passed, "passed", times, which);
  }

  /** Returns a table of all points passed, for a log. */
  @Override
  public synchronized String toString() {
    var table = new StringBuilder("halt points (passed, struck):");
    passed.forEach(
        (name, count) ->
            table.append("\n  %-40s %6d %6d".formatted(name, count, fired.getOrDefault(name, 0))));
    return table.toString();
  }

  private void assertCounts(
      Map<String, Integer> counts, String verb, int times, Predicate<String> which) {
    var known = HaltPoint.all().stream().map(HaltPoint::name).filter(which).sorted().toList();
    if (known.isEmpty()) {
      throw new AssertionError("No known halt point matters here, so nothing was proven.");
    }
    var missed = new ArrayList<String>();
    for (String name : known) {
      int count = counts.getOrDefault(name, 0);
      if (count < times) {
        missed.add("%s: %d times".formatted(name, count));
      }
    }
    if (!missed.isEmpty()) {
      throw new AssertionError(
          "%d of %d halt points were %s fewer than %d times:%s"
              .formatted(missed.size(), known.size(), verb, times, Census.lines(missed)));
    }
  }
}
