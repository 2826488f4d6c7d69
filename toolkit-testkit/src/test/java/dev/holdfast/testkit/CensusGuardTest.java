package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class CensusGuardTest {

  @Test
  void guard_nothingLeft_closesSilently() {
    try (var guard = CensusGuard.open()) {
      assertThat(guard.census().live()).isEmpty();
    }
  }

  @Test
  void guard_processAndThreadLeft_namesBothAndKillsTheProcess() throws Exception {
    var guard = CensusGuard.open();
    var end = new CountDownLatch(1);
    var thread = Thread.ofPlatform().name("left-over").start(() -> Uninterrupted.await(end));
    try (var planted = Planted.fixture(guard.marker(), "say", "ready", "forever")) {
      planted.line();

      assertThatThrownBy(guard::close)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("pid " + planted.pid())
          .satisfies(
              thrown ->
                  assertThat(thrown.getSuppressed())
                      .singleElement()
                      .asString()
                      .contains("\"left-over\""));
      assertThat(planted.status()).isEqualTo(137);
    } finally {
      end.countDown();
      Uninterrupted.join(thread);
    }
  }
}
