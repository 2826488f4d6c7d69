package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

@Witnessed
class BystanderTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void bystander_leftAlone_isUnharmedInItsOwnSession() {
    try (var bystander = Bystander.start()) {
      bystander.assertUnharmed();

      var entry = Census.process(bystander.pid()).orElseThrow();
      assertThat(entry.sid()).isEqualTo(bystander.pid());
      assertThat(entry.pgid()).isEqualTo(bystander.pid());
    }
  }

  @Test
  void bystander_killed_isReportedWithItsStatus() {
    try (var bystander = Bystander.start()) {
      Signals.send("TERM", bystander.pid());
      Patience.until(LIMIT, () -> ProcessHandle.of(bystander.pid()).isEmpty());

      assertThatThrownBy(bystander::assertUnharmed)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("was harmed: it ended with status 143");
    }
  }

  @Test
  void bystander_stopped_isReported() {
    try (var bystander = Bystander.start()) {
      Signals.send("STOP", bystander.pid());
      Patience.until(LIMIT, () -> Census.process(bystander.pid()).orElseThrow().isStopped());

      assertThatThrownBy(bystander::assertUnharmed)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("state T");
    }
  }
}
