package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.scope.KillPoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@Witnessed
class KillsTest {

  private static final Duration WINDOW = Duration.ofMillis(2);

  @Test
  void matrix_points_areListedInOrder() {
    assertThat(KillMatrix.of(KillsTest::victim).points())
        .containsExactly("testkit.before#1", "testkit.after#1", "testkit.after#2");
  }

  @Test
  void matrix_leakingVictim_leavesSurvivorsOnlyAfterItsSpawn() {
    var outcomes = KillMatrix.of(KillsTest::victim).parallel(2).killAtEach();

    assertThat(outcomes).hasSize(3).allMatch(KillOutcome::reached);
    assertThat(outcomes).extracting(outcome -> outcome.survivors().size()).containsExactly(0, 1, 1);
    assertThatThrownBy(() -> KillOutcome.assertNoSurvivors(outcomes))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("2 of 3 killed victims left processes")
        .hasMessageContaining("testkit.after#1")
        .hasMessageContaining("forever");
    KillOutcome.assertNoSurvivors(outcomes.subList(0, 1));
  }

  @Test
  void matrix_pointNeverPassed_isReportedAsNotReached() {
    assertThat(KillMatrix.of(KillsTest::victim).killAt(List.of("testkit.after#9")))
        .singleElement()
        .satisfies(
            outcome -> {
              assertThat(outcome.reached()).isFalse();
              assertThat(outcome.survivors()).hasSize(1);
            });
  }

  @Test
  void holdAt_number_holdsThere(Marker marker, Census census) {
    try (var victim = victim(marker).systemProperty(KillPoints.PROPERTY, "1").start()) {
      assertThat(victim.await("KILLPOINT")).isEqualTo("KILLPOINT 1 testkit.before#1");
      assertThat(census.except(victim.pid()).live()).isEmpty();
    }
  }

  @Test
  void randomKills_leakingVictim_areSeen() {
    var outcomes = RandomKills.of(KillsTest::victim, "begin", WINDOW).parallel(2).run(4, 42);

    assertThat(outcomes).hasSize(4);
    assertThat(outcomes).extracting(KillOutcome::moment).doesNotHaveDuplicates();
  }

  @Test
  void outcomes_none_proveNothing() {
    assertThatThrownBy(() -> KillOutcome.assertNoSurvivors(List.of()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("nothing was proven");
  }

  private static VictimJvmBuilder victim(Marker marker) {
    return VictimJvm.builder(Leaker.class).marker(marker);
  }

  /** Spawns a child that outlives it. */
  static final class Leaker {
    private Leaker() {}

    public static void main(String[] args) throws IOException {
      KillPoints.install();
      System.out.println("begin");
      KillPoint.named("testkit.before").pass();
      new ProcessBuilder(Fixture.command(Marker.ofVictim(), "forever"))
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      KillPoint.named("testkit.after").pass();
      KillPoint.named("testkit.after").pass();
      System.out.println("done");
      System.out.println("stdin ended with " + System.in.read());
    }
  }
}
