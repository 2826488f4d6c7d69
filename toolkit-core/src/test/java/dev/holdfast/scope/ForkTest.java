package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("preview")
class ForkTest {
  private static final ScopedValue<String> LATER = ScopedValue.newInstance();

  /** A body that lasts until it is interrupted. */
  private static String last(Scope unused) throws InterruptedException {
    new CountDownLatch(1).await();
    return "never";
  }

  @Test
  void forkedBody_runsOnAVirtualThreadWithANestedScope() throws Exception {
    try (Scope scope = Scope.open("outer", Policy.failFast())) {
      Task<String> task =
          scope.fork(inner -> inner.name() + " " + Thread.currentThread().isVirtual());
      scope.join();
      assertThat(task.state()).isEqualTo(Task.State.SUCCEEDED);
      assertThat(task.get()).isEqualTo("outer/body true");
    }
  }

  @Test
  void task_isRunningUntilTheCloseOfItsNestedScopeHasEnded() throws Exception {
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (Scope scope = Scope.open("s", Policy.failFast())) {
      Task<String> task =
          scope.fork(
              inner -> {
                inner.onClose(
                    () -> {
                      closing.countDown();
                      release.await();
                    });
                return "done";
              });
      Patience.await(closing);
      assertThat(task.state()).isEqualTo(Task.State.RUNNING);
      assertThatThrownBy(task::get)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("The task has not ended; join its scope 's' first.");
      release.countDown();
      scope.join();
      assertThat(task.get()).isEqualTo("done");
    }
  }

  @Test
  void bodyMayReturnNull() throws Exception {
    try (Scope scope = Scope.open()) {
      Task<Void> task = scope.fork(inner -> null);
      scope.join();
      assertThat(task.get()).isNull();
    }
  }

  @Test
  void failureOfABody_haltsItsSiblings_andIsThrownByJoin() {
    AtomicBoolean interrupted = new AtomicBoolean();
    CountDownLatch waiting = new CountDownLatch(1);
    IllegalArgumentException failure = new IllegalArgumentException("bad");
    try (Scope scope = Scope.open("s", Policy.failFast())) {
      FakeSlot slot = FakeSlot.armedIn(scope).endingWhenHalted();
      Task<String> sibling =
          scope.fork(
              inner -> {
                FakeSlot.armedIn(inner).endingWhenHalted();
                waiting.countDown();
                try {
                  return last(inner);
                } catch (InterruptedException e) {
                  interrupted.set(true);
                  throw e;
                }
              });
      Task<String> failed =
          scope.fork(
              inner -> {
                Patience.await(waiting);
                throw failure;
              });

      assertThatThrownBy(scope::join)
          .isInstanceOf(ScopeFailedException.class)
          .hasMessageContaining("A body of scope 's' failed: ")
          .cause()
          .isSameAs(failure);
      assertThat(failed.state()).isEqualTo(Task.State.FAILED);
      assertThatThrownBy(failed::get)
          .isInstanceOf(ScopeFailedException.class)
          .cause()
          .isSameAs(failure);
      assertThat(slot.cause).isEqualTo(Cause.SIBLING_FAILED);
      assertThatThrownBy(scope::join)
          .isInstanceOfSatisfying(
              ScopeHaltedException.class,
              e -> assertThat(e.reason()).isEqualTo(Cause.SIBLING_FAILED));
      assertThatThrownBy(() -> scope.fork(inner -> "late"))
          .isInstanceOf(ScopeHaltedException.class);
      Awaitility.await().until(() -> sibling.state() == Task.State.FAILED);
    }
    assertThat(interrupted).isTrue();
  }

  @Test
  void joinAfterAnInterrupt_goesOnWaiting() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (Scope scope = Scope.open()) {
      Task<String> task =
          scope.fork(
              inner -> {
                release.await();
                return "done";
              });
      for (int i = 0; i < 3; i++) {
        Thread.currentThread().interrupt();
        assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
      }
      Task<String> second = scope.fork(inner -> "more");
      release.countDown();
      scope.join();
      assertThat(task.get()).isEqualTo("done");
      assertThat(second.get()).isEqualTo("more");
      scope.join();
      Task<String> third = scope.fork(inner -> "even more");
      scope.join();
      assertThat(third.get()).isEqualTo("even more");
    }
  }

  @Test
  void join_doesNotWaitForSlotsThatAreNotJoined() throws Exception {
    try (Scope scope = Scope.open()) {
      FakeSlot service = new FakeSlot(false);
      service.arm(scope);
      service.endingWhenHalted();
      scope.join();
      assertThat(service.halts).hasValue(0);
    }
  }

  @Test
  void nestedBodies_endInnermostFirst() {
    List<String> order = new ArrayList<>();
    CountDownLatch deepest = new CountDownLatch(1);
    try (Scope scope = Scope.open()) {
      scope.onClose(() -> order.add("outer"));
      scope.fork(
          middle -> {
            middle.onClose(() -> order.add("middle"));
            middle.fork(
                inner -> {
                  inner.onClose(() -> order.add("inner"));
                  FakeSlot.armedIn(inner).endingWhenHalted(() -> order.add("slot"));
                  deepest.countDown();
                  return last(inner);
                });
            middle.join();
            return "never";
          });
      awaitQuietly(deepest);
    }
    assertThat(order).containsExactly("slot", "inner", "middle", "outer");
  }

  @Test
  void haltOfAScope_reachesTheNestedScopesOfItsBodies_beforeAnyBodyReacts() {
    CountDownLatch ready = new CountDownLatch(1);
    CountDownLatch stubborn = new CountDownLatch(1);
    AtomicReference<FakeSlot> slot = new AtomicReference<>();
    try (Scope scope = Scope.open()) {
      scope.fork(
          inner -> {
            slot.set(FakeSlot.armedIn(inner).endingWhenHalted());
            ready.countDown();
            awaitStubbornly(stubborn);
            return "done";
          });
      awaitQuietly(ready);
      scope.halt();
      assertThat(slot.get().cause).isEqualTo(Cause.HALTED);
      stubborn.countDown();
    }
  }

  @Test
  void bodyForkedBeforeAHaltButRunAfterIt_findsItsScopeHalted() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (Scope scope = Scope.open()) {
      try (Points points = Points.at("body.begin", scope::halt)) {
        scope.fork(
            inner -> {
              thrown.set(catchThrowable(() -> FakeSlot.armedIn(inner)));
              return last(inner);
            });
        Awaitility.await().until(points::hasFired);
        assertThatThrownBy(scope::join).isInstanceOf(ScopeHaltedException.class);
      }
    }
    assertThat(thrown.get()).isInstanceOf(ScopeHaltedException.class);
  }

  @Test
  void exceptionOfTheBody_comesFirst_thatOfItsCloseIsSuppressed() {
    IllegalStateException first = new IllegalStateException("body");
    IllegalStateException second = new IllegalStateException("clean-up");
    try (Scope scope = Scope.open()) {
      Task<String> task =
          scope.fork(
              inner -> {
                inner.onClose(
                    () -> {
                      throw second;
                    });
                throw first;
              });
      assertThatThrownBy(scope::join).cause().isSameAs(first).hasSuppressedException(second);
      assertThat(task.state()).isEqualTo(Task.State.FAILED);
    }
  }

  @Test
  void bodyAndItsCleanUpThrowTheSameException_itIsTheFailure() {
    IllegalStateException same = new IllegalStateException("same");
    try (Scope scope = Scope.open()) {
      scope.fork(
          inner -> {
            inner.onClose(
                () -> {
                  throw same;
                });
            throw same;
          });
      assertThatThrownBy(scope::join).cause().isSameAs(same);
      assertThat(same.getSuppressed()).isEmpty();
    }
  }

  @Test
  void scope01_forkInsideALaterBinding_isRefusedWithASentence() throws Exception {
    try (Scope scope = Scope.open("s", Policy.failFast())) {
      ScopedValue.where(LATER, "x")
          .run(
              () ->
                  assertThatThrownBy(() -> scope.fork(inner -> LATER.get()))
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessageStartingWith(
                          "Scope 's' was opened outside of a ScopedValue binding that is in force"
                              + " here")
                      .hasMessageEndingWith("open the scope inside the binding."));
      Task<String> after = scope.fork(inner -> "after");
      scope.join();
      assertThat(after.get()).isEqualTo("after");
    }
  }

  @Test
  void scopeOpenedInsideABinding_passesItToItsBodies() throws Exception {
    String seen =
        ScopedValue.where(LATER, "bound")
            .call(
                () -> {
                  try (Scope scope = Scope.open()) {
                    Task<String> task =
                        scope.fork(
                            inner -> {
                              Task<String> deeper = inner.fork(innermost -> LATER.get());
                              inner.join();
                              return deeper.get();
                            });
                    scope.join();
                    return task.get();
                  }
                });
    assertThat(seen).isEqualTo("bound");
  }

  static Stream<Arguments> strikesAtEachPoint() {
    return Stream.of("fork.begin", "fork.done", "body.begin", "body.end", "join.begin", "join.done")
        .flatMap(point -> Stream.of(Strike.values()).map(strike -> Arguments.of(point, strike)));
  }

  @ParameterizedTest
  @MethodSource("strikesAtEachPoint")
  void e1_strikeAtAHaltPointOfForkAndJoin_leavesNothing(String point, Strike strike)
      throws Exception {
    AtomicInteger bodies = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    Patience.onOwnThread(
        () -> {
          try (Scope scope = Scope.open();
              Points points = Points.at(point, () -> strike.on(scope))) {
            Throwable _ =
                catchThrowable(
                    () -> {
                      scope.fork(
                          inner -> {
                            bodies.incrementAndGet();
                            inner.onClose(ended::incrementAndGet);
                            FakeSlot.armedIn(inner).endingWhenHalted();
                            return "done";
                          });
                      scope.join();
                    });
            Awaitility.await().until(() -> points.hasFired() || bodies.get() > 0);
          } catch (ScopeFailedException e) {
            assertThat(point).startsWith("body.");
          }
        });
    assertThat(ended).hasValue(bodies.get());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      Patience.await(latch);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // Stubborn: it waits on.
      }
    }
  }
}
