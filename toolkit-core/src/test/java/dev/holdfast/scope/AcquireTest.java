package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("preview")
class AcquireTest {
  private final List<String> made = new ArrayList<>();
  private final List<String> released = new ArrayList<>();

  private String acquire(Scope scope, String name) {
    return scope.acquire(
        () -> {
          made.add(name);
          return name;
        },
        released::add);
  }

  @Test
  void acquired_areReleasedByClose_inReverseAmongTheCleanUps() {
    try (Scope scope = Scope.open()) {
      assertThat(acquire(scope, "a")).isEqualTo("a");
      scope.onClose(() -> released.add("clean-up"));
      acquire(scope, "b");
      assertThat(released).isEmpty();
    }
    assertThat(released).containsExactly("b", "clean-up", "a");
  }

  @Test
  void e5_cleanUpRegisteredBefore_runsAfterTheSlotHasLeft() {
    try (Scope scope = Scope.open()) {
      acquire(scope, "a");
      FakeSlot.armedIn(scope).endingWhenHalted(() -> released.add("slot"));
    }
    assertThat(released).containsExactly("slot", "a");
  }

  @Test
  void hundredCleanUps_allRun_whateverOthersThrow() {
    Scope scope = Scope.open();
    for (int i = 0; i < 100; i++) {
      int number = i;
      scope.onClose(
          () -> {
            released.add("" + number);
            if (number % 10 == 0) {
              throw new IOException("clean-up " + number);
            }
          });
    }

    assertThatThrownBy(scope::close)
        .isInstanceOf(IOException.class)
        .hasMessage("clean-up 90")
        .satisfies(
            t ->
                assertThat(t.getSuppressed())
                    .extracting(Throwable::getMessage)
                    .containsExactly(
                        IntStream.iterate(80, i -> i >= 0, i -> i - 10)
                            .mapToObj(i -> "clean-up " + i)
                            .toArray(String[]::new)));
    assertThat(released)
        .containsExactlyElementsOf(
            IntStream.iterate(99, i -> i >= 0, i -> i - 1).mapToObj(i -> "" + i).toList());
  }

  @Test
  void acquisitionThatThrows_givesItsOwnException_andReleasesNothing() {
    IOException refused = new IOException("refused");
    try (Scope scope = Scope.open()) {
      assertThatThrownBy(
              () ->
                  scope.acquire(
                      () -> {
                        throw refused;
                      },
                      nothing -> released.add("nothing")))
          .isSameAs(refused);
      acquire(scope, "b");
    }
    assertThat(released).containsExactly("b");
  }

  @Test
  @SuppressWarnings("NullAway")
  void acquisitionThatReturnsNull_isRefused_andReleasesNothing() {
    try (Scope scope = Scope.open()) {
      assertThatThrownBy(() -> scope.acquire(() -> null, nothing -> released.add("nothing")))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("acquisition returned null");
    }
    assertThat(released).isEmpty();
  }

  @Test
  void e3_acquireInAHaltedScope_makesNothing() {
    try (Scope scope = Scope.open("h", Policy.failFast())) {
      scope.halt();
      assertThatThrownBy(() -> acquire(scope, "a"))
          .isInstanceOf(ScopeHaltedException.class)
          .hasMessage("Scope 'h' is halted (HALTED) and accepts nothing more; open another scope.");
    }
    assertThat(made).isEmpty();
    assertThat(released).isEmpty();
  }

  @Test
  void haltDuringAcquisition_refusesTheResource_andReleasesIt() {
    try (Scope scope = Scope.open()) {
      assertThatThrownBy(
              () ->
                  scope.acquire(
                      () -> {
                        Strike.HALT_BY_STRANGER.on(scope);
                        return "a";
                      },
                      released::add))
          .isInstanceOf(ScopeHaltedException.class);
      assertThat(released).isEmpty();
    }
    assertThat(released).containsExactly("a");
  }

  @Test
  void resourceAcquiredByAFinalizer_isRefused_asTheScopeIsClosed() {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (Scope scope = Scope.open("c", Policy.failFast())) {
      scope.onClose(() -> thrown.set(catchThrowable(() -> acquire(scope, "late"))));
    }
    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Scope 'c' is closed; open another scope.");
    assertThat(made).isEmpty();
  }

  static Stream<Arguments> strikesAtEachPoint() {
    return Stream.of("acquire.begin", "acquire.pushed", "acquire.filled")
        .flatMap(point -> Stream.of(Strike.values()).map(strike -> Arguments.of(point, strike)));
  }

  @ParameterizedTest
  @MethodSource("strikesAtEachPoint")
  void e1_strikeAtAHaltPointOfAcquire_releasesOnceOrNeverAcquires(String point, Strike strike) {
    try (Scope scope = Scope.open()) {
      scope.onClose(() -> released.add("before"));
      Throwable thrown;
      try (Points points = Points.at(point, () -> strike.on(scope))) {
        thrown = catchThrowable(() -> acquire(scope, "a"));
        assertThat(points.hasFired()).isTrue();
      }
      boolean late = point.equals("acquire.filled");
      assertThat(made).hasSize(late || strike == Strike.INTERRUPT ? 1 : 0);
      if (strike == Strike.INTERRUPT) {
        assertThat(thrown).isNull();
        assertThat(Thread.interrupted()).isTrue();
      } else {
        assertThat(thrown).isInstanceOf(strike.isHalt() ? ScopeHaltedException.class : Error.class);
      }
      assertThat(released).isEmpty();
    }
    List<String> expected = new ArrayList<>(made);
    expected.add("before");
    assertThat(released).isEqualTo(expected);
  }
}
