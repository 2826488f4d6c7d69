package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.Witnessed;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors that are not injected: the stack is used up, the heap is full. */
@Witnessed(allowedThreads = "holdfast-")
class RealErrorsTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @ParameterizedTest
  @CsvSource({"cold,256", "warm,256", "warm,1024"})
  @DisplayName(
      "E34: a StackOverflowError at every depth: nothing alive, nothing hung, scope usable")
  void e34_stackOverflowAtEveryDepth_leavesNothing(String start, int kib, Marker marker) {
    int rounds = Profile.times(4, 60);
    try (var victim =
        VictimJvm.builder(DeepVictim.class)
            .marker(marker)
            .arg(start)
            .arg(Integer.toString(rounds))
            .arg(Integer.toString(kib))
            .start()) {
      victim.await("afterwards usable", LIMIT);
      assertThat(victim.await("done ")).as(victim.output()).isEqualTo("done 0");
      assertThat(victim.waitStatus()).isZero();
      assertThat(victim.lines())
          .as("errors there were")
          .anyMatch(line -> line.matches("outcomes .*StackOverflowError=\\d{2,}.*spawned=.*"));
      Census.of(marker).except(victim.pid()).assertNone();
    }
  }
}
