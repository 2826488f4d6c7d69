package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.scope.ScopeFailedException;
import dev.holdfast.testkit.HaltInjector;
import dev.holdfast.testkit.InjectedError;
import dev.holdfast.testkit.Injection;
import dev.holdfast.testkit.Witnessed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every halt point of acquisition and teardown, struck by everything that can strike, for owners of
 * both kinds. The short profile strikes each point once by each injection and owner, in shapes that
 * take turns; the long one strikes each occurrence in each shape.
 */
@Witnessed(allowedThreads = "holdfast-")
class HaltMatrixTest {
  private static final StopPolicy STOP = StopPolicy.graceful(Duration.ofMillis(10));

  /** How many passes of one point in one shape are struck: the reactor steps very often. */
  private static final int OCCURRENCES = 8;

  /** A point may be passed less often than when it was recorded, as threads race. */
  private static final int TRIES = 5;

  private static final Map<Shape, Map<String, Integer>> RECORDED = new EnumMap<>(Shape.class);
  private static final List<Integer> VIRTUAL_THREADS = new ArrayList<>();

  private record Place(Shape shape, int occurrence) {}

  @BeforeAll
  static void warmUp() throws Exception {
    Exec.run("true");
    record();
    VIRTUAL_THREADS.add(Stacks.virtualThreads().size());
  }

  @AfterAll
  static void noVirtualThreadIsLeft() {
    org.awaitility.Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () ->
                assertThat(Stacks.virtualThreads())
                    .hasSizeLessThanOrEqualTo(VIRTUAL_THREADS.getFirst()));
  }

  private static synchronized void record() {
    if (!RECORDED.isEmpty()) {
      return;
    }
    for (Shape shape : Shape.values()) {
      Trial.Outcome outcome = Trial.record(shape, Trial.Owner.PLATFORM, STOP);
      assertThat(outcome.wrong()).as("%s, undisturbed", shape).isEmpty();
      Map<String, Integer> counts = new TreeMap<>();
      outcome.passes().forEach(pass -> counts.merge(pass.point(), 1, Integer::sum));
      RECORDED.put(shape, counts);
    }
  }

  static Stream<String> points() throws InterruptedException {
    Exec.run("true");
    return MainPoints.names().stream();
  }

  @Test
  @DisplayName("E1: the shapes pass every halt point there is")
  void e1_shapes_passEveryHaltPoint() {
    assertThat(MainPoints.names()).hasSizeGreaterThanOrEqualTo(26);
    assertThat(RECORDED.values().stream().flatMap(counts -> counts.keySet().stream()))
        .containsAll(MainPoints.names());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("points")
  @DisplayName("E1: a halt at any point leaves no process, zombie, descriptor or thread")
  void e1_haltPointStruckInEveryWay_leavesNothing(String point) {
    List<Place> places = places(point);
    assertThat(places).as("shapes that pass %s", point).isNotEmpty();
    int turn = 0;
    for (Injection injection : Injection.values()) {
      for (Trial.Owner owner : Trial.Owner.values()) {
        if (Profile.isLong()) {
          for (Place place : places) {
            strike(place.shape(), owner, new Trial.Strike(point, place.occurrence(), injection));
          }
        } else {
          strikeOnce(places, turn++, owner, point, injection);
        }
      }
    }
  }

  private static List<Place> places(String point) {
    List<Place> places = new ArrayList<>();
    RECORDED.forEach(
        (shape, counts) -> {
          int count = Math.min(OCCURRENCES, counts.getOrDefault(point, 0));
          for (int occurrence = 1; occurrence <= count; occurrence++) {
            places.add(new Place(shape, occurrence));
          }
        });
    return places;
  }

  private static void strikeOnce(
      List<Place> places, int turn, Trial.Owner owner, String point, Injection injection) {
    for (int attempt = 0; attempt < TRIES; attempt++) {
      Place place = places.get((turn + attempt) % places.size());
      if (strike(place.shape(), owner, new Trial.Strike(point, place.occurrence(), injection))) {
        return;
      }
    }
    throw new AssertionError("%s was not passed in %d tries.".formatted(point, TRIES));
  }

  /** Whether the point was reached. */
  private static boolean strike(Shape shape, Trial.Owner owner, Trial.Strike strike) {
    Trial.Outcome outcome = Trial.struck(shape, owner, STOP, strike);
    String what = strike + ", " + shape + ", " + owner;
    assertThat(outcome.wrong()).as(what).isEmpty();
    assertThat(outcome.thrown()).as(what).satisfies(HaltMatrixTest::isExpected);
    outcome
        .fired()
        .filter(pass -> isOfOwnClose(pass, strike, outcome))
        .ifPresent(pass -> assertThat(outcome.interrupted()).as("flag after " + what).isTrue());
    return outcome.fired().isPresent();
  }

  /** An interrupt that comes while the owner closes is kept in its flag. */
  private static boolean isOfOwnClose(
      HaltInjector.Pass pass, Trial.Strike strike, Trial.Outcome outcome) {
    return pass.point().startsWith("close.")
        && pass.thread().equals(outcome.owner())
        && (strike.injection() == Injection.INTERRUPT
            || strike.injection() == Injection.INTERRUPT_OWNER);
  }

  private static void isExpected(@Nullable Throwable thrown) {
    if (thrown instanceof StackOverflowError || thrown instanceof OutOfMemoryError) {
      assertThat(thrown).hasMessageContaining("injected");
      return;
    }
    if (thrown instanceof IllegalArgumentException) {
      assertThat(thrown).hasMessage("thrown by the body");
      return;
    }
    if (thrown != null) {
      assertThat(thrown)
          .isInstanceOfAny(
              InjectedError.class,
              InterruptedException.class,
              ExecException.class,
              ScopeFailedException.class);
    }
  }
}
