package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@Witnessed
class LoadTest {

  @Test
  void hog_untilClosed_letsNeitherVirtualThreadNorPoolTaskRun() throws Exception {
    var ran = new CountDownLatch(2);
    try (var hog = CarrierHog.start(Duration.ofSeconds(20))) {
      assertThat(hog).isNotNull();
      Thread.ofVirtual().start(ran::countDown);
      ForkJoinPool.commonPool().execute(ran::countDown);

      assertThat(ran.await(200, TimeUnit.MILLISECONDS)).isFalse();
      assertThat(ran.getCount()).isEqualTo(2);
    }
    assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void hog_timeOver_letsGoByItself() throws Exception {
    var ran = new CountDownLatch(1);
    try (var hog = CarrierHog.start(Duration.ofMillis(100))) {
      assertThat(hog).isNotNull();
      Thread.ofVirtual().start(ran::countDown);

      assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void stress_closed_leavesNoThread() {
    try (var stress = CpuStress.start(2)) {
      assertThat(stress).isNotNull();
      assertThat(Census.threads())
          .extracting(Thread::getName)
          .contains("cpu-stress-0", "cpu-stress-1");
    }
    assertThat(Census.threads()).extracting(Thread::getName).doesNotContain("cpu-stress-0");
  }
}
