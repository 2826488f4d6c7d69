package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("preview")
class HaltTest {

  @Test
  void halt_fromAnyThread_asksEverySlot_doesNotBlock_andRefusesWhatComesAfter() throws Exception {
    try (Scope scope = Scope.open()) {
      List<FakeSlot> slots = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        slots.add(FakeSlot.armedIn(scope));
      }
      Patience.onOwnThread(scope::halt);
      assertThat(slots).allSatisfy(slot -> assertThat(slot.cause).isEqualTo(Cause.HALTED));
      assertThatThrownBy(() -> FakeSlot.armedIn(scope)).isInstanceOf(ScopeHaltedException.class);
      assertThatThrownBy(scope::refuseIfHalted).isInstanceOf(ScopeHaltedException.class);
      slots.forEach(FakeSlot::endingWhenHalted);
    }
  }

  @Test
  void eachHalt_asksAgain_withTheFirstCause() {
    try (Scope scope = Scope.open()) {
      FakeSlot slot = FakeSlot.armedIn(scope);
      scope.halt(Cause.TIMEOUT);
      scope.halt();
      scope.halt(Cause.OUTPUT_LIMIT);
      assertThat(slot.halts).hasValue(3);
      assertThat(slot.cause).isEqualTo(Cause.TIMEOUT);
      slot.endingWhenHalted();
      assertThatThrownBy(scope::join)
          .isInstanceOfSatisfying(
              ScopeHaltedException.class, e -> assertThat(e.reason()).isEqualTo(Cause.TIMEOUT));
    }
  }

  @Test
  void slotThatFailsToBeAsked_doesNotKeepTheOthersFromIt_andIsAskedAgainByClose() {
    List<FakeSlot> slots = new ArrayList<>();
    Scope scope = Scope.open();
    for (int i = 0; i < 3; i++) {
      FakeSlot slot =
          new FakeSlot() {
            @Override
            protected void halt(Cause why) {
              super.halt(why);
              if (halts.get() == 1) {
                throw new Strike.Struck();
              }
            }
          };
      slot.arm(scope);
      slots.add(slot);
    }
    assertThatThrownBy(scope::halt).isInstanceOf(Strike.Struck.class);
    assertThat(slots).allSatisfy(slot -> assertThat(slot.halts).hasValue(1));
    slots.forEach(FakeSlot::endingWhenHalted);
    assertThatCode(scope::close).doesNotThrowAnyException();
  }

  @Test
  void bodyWhoseNestedScopeFailsToBeAsked_isInterruptedAllTheSame() {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    try (Scope scope = Scope.open()) {
      scope.fork(
          inner -> {
            new FakeSlot() {
              {
                arm(inner);
                endingWhenHalted();
              }

              @Override
              protected void halt(Cause why) {
                super.halt(why);
                if (halts.get() == 1) {
                  throw new Strike.Struck();
                }
              }
            };
            running.countDown();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              interrupted.countDown();
            }
            return "done";
          });
      awaitQuietly(running);
      assertThatThrownBy(scope::halt).isInstanceOf(Strike.Struck.class);
      awaitQuietly(interrupted);
    }
  }

  @Test
  void slotsThatLeaveWhileTheyAreAsked_doNotEndTheWalk() {
    try (Scope scope = Scope.open()) {
      List<FakeSlot> slots = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        FakeSlot slot =
            new FakeSlot() {
              @Override
              protected void halt(Cause why) {
                super.halt(why);
                leave();
              }
            };
        slot.arm(scope);
        slots.add(slot);
      }
      scope.halt();
      assertThat(slots).allSatisfy(slot -> assertThat(slot.halts).hasValue(1));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Strike.class,
      names = {"ERROR", "STACK_OVERFLOW", "OUT_OF_MEMORY"})
  void errorAtTheBeginOfAHalt_doesNotKeepItFromHalting(Strike strike) {
    try (Scope scope = Scope.open()) {
      FakeSlot slot = FakeSlot.armedIn(scope);
      try (Points points = Points.at("halt.begin", () -> strike.on(scope))) {
        assertThatThrownBy(scope::halt).isInstanceOf(Error.class);
        assertThat(points.hasFired()).isTrue();
      }
      assertThat(slot.cause).isEqualTo(Cause.HALTED);
      slot.endingWhenHalted();
    }
  }

  @Test
  void halt_endsAJoinThatWaits() throws Exception {
    try (Scope scope = Scope.open()) {
      FakeSlot.armedIn(scope).endingWhenHalted();
      Thread owner = Thread.currentThread();
      Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                Awaitility.await().until(() -> owner.getState() == Thread.State.WAITING);
                scope.halt();
              });
      assertThatThrownBy(scope::join)
          .isInstanceOfSatisfying(
              ScopeHaltedException.class, e -> assertThat(e.reason()).isEqualTo(Cause.HALTED));
    }
  }

  @Test
  void awaitResources_isForAnyThread_andWaitsForTheLastSlotInNestedScopesToo() throws Exception {
    CountDownLatch armed = new CountDownLatch(1);
    AtomicReference<FakeSlot> deep = new AtomicReference<>();
    try (Scope scope = Scope.open()) {
      assertThat(scope.awaitResources(Duration.ZERO)).isTrue();
      FakeSlot slot = FakeSlot.armedIn(scope);
      scope.fork(
          inner -> {
            inner.fork(
                innermost -> {
                  deep.set(FakeSlot.armedIn(innermost));
                  armed.countDown();
                  new CountDownLatch(1).await();
                  return "never";
                });
            inner.join();
            return "never";
          });
      Patience.await(armed);
      assertThat(scope.awaitResources(Duration.ofMillis(1))).isFalse();
      FutureTask<Boolean> waits = new FutureTask<>(() -> scope.awaitResources(Patience.LIMIT));
      Thread waiter = Thread.ofPlatform().daemon().start(waits);
      Awaitility.await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
      slot.leave();
      assertThat(scope.awaitResources(Duration.ofMillis(1))).isFalse();
      assertThat(waits.isDone()).isFalse();
      deep.get().leave();
      assertThat(Patience.outcome(waits)).isTrue();
      assertThat(scope.awaitResources(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
    }
  }

  @Test
  void awaitResources_doesNotWaitForBodies() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    try (Scope scope = Scope.open()) {
      scope.fork(
          inner -> {
            running.countDown();
            new CountDownLatch(1).await();
            return "never";
          });
      Patience.await(running);
      assertThat(scope.awaitResources(Duration.ZERO)).isTrue();
    }
  }

  @Test
  void awaitResources_isInterruptible_andTheScopeIsAsItWas() throws Exception {
    try (Scope scope = Scope.open()) {
      FakeSlot slot = FakeSlot.armedIn(scope);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> scope.awaitResources(Patience.LIMIT))
          .isInstanceOf(InterruptedException.class);
      assertThat(slot.halts).hasValue(0);
      slot.leave();
      assertThat(scope.awaitResources(Patience.LIMIT)).isTrue();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      Patience.await(latch);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
