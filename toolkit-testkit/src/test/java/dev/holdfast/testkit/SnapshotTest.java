package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileInputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SnapshotTest {

  private static final Duration SHORT = Duration.ofMillis(50);

  @Test
  void snapshot_nothingNew_passes() {
    Snapshot.take().assertNoGrowth(SHORT);
  }

  @Test
  void snapshot_newDescriptor_isNamed() throws Exception {
    var before = Snapshot.take();
    try (var open = new FileInputStream("/dev/zero")) {
      assertThat(open.available()).isNotNegative();

      assertThatThrownBy(() -> before.assertNoGrowth(SHORT))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("-> /dev/zero");
    }
    before.assertNoGrowth();
  }

  @Test
  void snapshot_newThread_isNamedUnlessAllowed() {
    var before = Snapshot.take();
    var end = new CountDownLatch(1);
    var thread = Thread.ofPlatform().name("planted-7").start(() -> Uninterrupted.await(end));
    try {
      assertThatThrownBy(() -> before.assertNoGrowth(SHORT))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("\"planted-7\"");
      before.allowingThreads("planted").assertNoGrowth(SHORT);
    } finally {
      end.countDown();
      Uninterrupted.join(thread);
    }
    before.assertNoGrowth();
  }

  @Test
  void snapshot_thingThatSettles_passes() {
    var before = Snapshot.take();
    var settling = Thread.ofPlatform().start(() -> Patience.until(SHORT, () -> false));

    before.assertNoGrowth();

    assertThat(settling.isAlive()).isFalse();
  }
}
