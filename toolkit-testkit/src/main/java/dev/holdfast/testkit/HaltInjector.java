package dev.holdfast.testkit;

import dev.holdfast.scope.HaltPoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Notes each halt point that any thread passes, and strikes at one of them, once.
 *
 * <pre>{@code
 * try (var injector = HaltInjector.at("spawn.armed", 1, Injection.HALT.on(Target.ownedHere(scope::halt)))) {
 *   ...
 *   assertThat(injector.fired()).isPresent();
 * }
 * }</pre>
 *
 * <p>One injector at a time in a JVM, so tests that use it don't run in parallel. Thread-safe; its
 * lock is not held while the action runs. {@link #close} takes it out.
 */
public final class HaltInjector implements AutoCloseable {

  private static final AtomicReference<@Nullable HaltInjector> ACTIVE = new AtomicReference<>();

  private final Predicate<Pass> strikesAt;
  private final Action action;
  private final List<Pass> passes = new ArrayList<>(); // guarded by this
  private final Map<String, Integer> occurrences = new HashMap<>(); // guarded by this
  private @Nullable Pass fired; // guarded by this
  private @Nullable AssertionError failure; // guarded by this

  /** What an injector does at the point that it strikes. */
  @FunctionalInterface
  public interface Action {
    /**
     * Strikes. Runs on the thread that passes, which goes on when this returns; what it throws is
     * thrown by the point.
     *
     * @param point where the thread is
     */
    void strike(HaltPoint point);
  }

  /**
   * One thread passing one point.
   *
   * @param point the name of the point
   * @param occurrence the how manieth pass of this point it was, from 1
   * @param number the how manieth pass of any point it was, from 1
   * @param thread the thread that passed
   */
  public record Pass(String point, int occurrence, int number, Thread thread) {

    /** Returns the form {@code spawn.armed#2}. */
    @Override
    public String toString() {
      return point + "#" + occurrence;
    }
  }

  private HaltInjector(Predicate<Pass> strikesAt, Action action) {
    this.strikesAt = strikesAt;
    this.action = action;
  }

  /**
   * Only notes what is passed.
   *
   * @return the injector, already in place
   * @throws IllegalStateException if another is in place
   */
  public static HaltInjector recording() {
    return when(pass -> false, point -> {});
  }

  /**
   * Strikes at the n-th pass of any point by any thread. Which that is depends on the scheduler as
   * soon as several threads pass points.
   *
   * @param number from 1
   * @param action what to do there
   * @return the injector, already in place
   * @throws IllegalStateException if another is in place
   */
  public static HaltInjector at(int number, Action action) {
    return when(pass -> pass.number() == number, action);
  }

  /**
   * Strikes at one pass of a named point, by whatever thread.
   *
   * @param point the point's name
   * @param occurrence from 1
   * @param action what to do there
   * @return the injector, already in place
   * @throws IllegalStateException if another is in place
   */
  public static HaltInjector at(String point, int occurrence, Action action) {
    Objects.requireNonNull(point, "point");
    return when(pass -> pass.occurrence() == occurrence && pass.point().equals(point), action);
  }

  /**
   * Strikes at the first pass that meets a condition.
   *
   * @param condition asked at each pass on the thread that passes, under this injector's lock
   * @param action what to do there
   * @return the injector, already in place
   * @throws IllegalStateException if another is in place
   */
  public static HaltInjector when(Predicate<Pass> condition, Action action) {
    var injector =
        new HaltInjector(
            Objects.requireNonNull(condition, "condition"),
            Objects.requireNonNull(action, "action"));
    if (!ACTIVE.compareAndSet(null, injector)) {
      throw new IllegalStateException(
          "Another HaltInjector is in place; close it first, and run tests that inject one by"
              + " one.");
    }
    HaltPoint.inject(injector::onPass);
    return injector;
  }

  /**
   * All passes so far, in order.
   *
   * @return a copy
   */
  public synchronized List<Pass> passes() {
    return List.copyOf(passes);
  }

  /**
   * The names of the points passed so far, in order, repeated as often as they were passed.
   *
   * @return a copy
   */
  public List<String> names() {
    return passes().stream().map(Pass::point).toList();
  }

  /**
   * Where it struck.
   *
   * @return the pass, or empty if it has not struck
   */
  public synchronized Optional<Pass> fired() {
    return Optional.ofNullable(fired);
  }

  /**
   * Takes the injector out. Idempotent.
   *
   * @throws AssertionError if the action failed, as a halt that never returned
   */
  @Override
  public void close() {
    if (ACTIVE.compareAndSet(this, null)) {
      HaltPoint.inject(null);
    }
    AssertionError failed = takeFailure();
    if (failed != null) {
      throw failed;
    }
  }

  private void onPass(HaltPoint point) {
    if (!note(point.name())) {
      return;
    }
    try {
      action.strike(point);
    } catch (AssertionError e) {
      keep(e); // the code under test may swallow what its halt points throw
      throw e;
    }
  }

  private synchronized boolean note(String point) {
    int occurrence = occurrences.merge(point, 1, Integer::sum);
    var pass = new Pass(point, occurrence, passes.size() + 1, Thread.currentThread());
    passes.add(pass);
    if (fired != null || !strikesAt.test(pass)) {
      return false;
    }
    fired = pass;
    return true;
  }

  private synchronized void keep(AssertionError e) {
    failure = e;
  }

  private synchronized @Nullable AssertionError takeFailure() {
    var taken = failure;
    failure = null;
    return taken;
  }
}
