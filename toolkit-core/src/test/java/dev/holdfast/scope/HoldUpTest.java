package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class HoldUpTest {

  /** For the stack that the WARN is to show. */
  private static void holdStubbornly(CountDownLatch latch, AtomicInteger interrupts) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        interrupts.incrementAndGet();
      }
    }
  }

  @Test
  void e37_bodyThatSwallowsInterrupts_isNamedWithItsStack_afterTheSlotsAreGone() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch slotsGone = new CountDownLatch(2);
    AtomicInteger interrupts = new AtomicInteger();
    try (LogCapture log = new LogCapture()) {
      FutureTask<Void> code =
          Patience.task(
              () -> {
                try (Scope scope = Scope.open("s", Policy.failFast())) {
                  FakeSlot.armedIn(scope).endingWhenHalted(slotsGone::countDown);
                  scope.fork(
                      inner -> {
                        FakeSlot.armedIn(inner).endingWhenHalted(slotsGone::countDown);
                        running.countDown();
                        holdStubbornly(release, interrupts);
                        return "done";
                      });
                  Patience.await(running);
                }
              });
      Thread.ofPlatform().daemon().start(code);
      Patience.await(slotsGone);
      assertThat(log.text()).isEmpty();
      Awaitility.await()
          .atMost(Patience.LIMIT)
          .untilAsserted(
              () ->
                  assertThat(log.text())
                      .contains(
                          "WARN",
                          "A body of scope 's' holds up the close; all processes of the scope are"
                              + " gone. VirtualThread[#",
                          "at dev.holdfast.scope.HoldUpTest.holdStubbornly(HoldUpTest.java:"));
      assertThat(code.isDone()).isFalse();
      assertThat(interrupts).as("interrupted again and again").hasValueGreaterThan(5);
      release.countDown();
      Patience.outcome(code);
    }
  }

  @Test
  void e37_finalizerThatBlocks_isNamedWithItsStack_afterTheSlotsAreGone() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch slotGone = new CountDownLatch(1);
    AtomicInteger interrupts = new AtomicInteger();
    try (LogCapture log = new LogCapture()) {
      FutureTask<Void> code =
          Patience.task(
              () -> {
                try (Scope scope = Scope.open("s", Policy.failFast())) {
                  FakeSlot.armedIn(scope).endingWhenHalted(slotGone::countDown);
                  scope.onClose(() -> holdStubbornly(release, interrupts));
                }
              });
      Thread.ofPlatform().daemon().name("holder").start(code);
      Patience.await(slotGone);
      Awaitility.await()
          .atMost(Patience.LIMIT)
          .untilAsserted(
              () ->
                  assertThat(log.text())
                      .contains(
                          "A finalizer of scope 's' holds up the close; all processes of the scope"
                              + " are gone. Thread[#",
                          "holder",
                          "at dev.holdfast.scope.HoldUpTest.holdStubbornly(HoldUpTest.java:"));
      assertThat(code.isDone()).isFalse();
      assertThat(interrupts).hasValue(0);
      release.countDown();
      Patience.outcome(code);
    }
  }

  @Test
  void bodyWhoseOwnSlotTakesLong_isNotNamed() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    FakeSlot slot = new FakeSlot();
    try (LogCapture log = new LogCapture()) {
      FutureTask<Void> code =
          Patience.task(
              () -> {
                try (Scope scope = Scope.open("s", Policy.failFast())) {
                  scope.fork(
                      inner -> {
                        slot.arm(inner);
                        running.countDown();
                        return "done";
                      });
                  Patience.await(running);
                }
              });
      Thread.ofPlatform().daemon().start(code);
      Patience.await(running);
      // Two closes ask it again each 100 ms: a holder would have been named after 2 s.
      Awaitility.await().atMost(Patience.LIMIT).until(() -> slot.halts.get() > 50);
      assertThat(log.text()).isEmpty();
      slot.leave();
      Patience.outcome(code);
      assertThat(log.text()).isEmpty();
    }
  }
}
