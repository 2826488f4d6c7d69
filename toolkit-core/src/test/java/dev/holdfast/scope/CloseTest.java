package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("preview")
class CloseTest {

  @Test
  void e31_close_isIdempotent() {
    List<String> runs = new ArrayList<>();
    Scope scope = Scope.open();
    FakeSlot slot = FakeSlot.armedIn(scope).endingWhenHalted();
    scope.onClose(() -> runs.add("clean-up"));
    scope.close();
    scope.close();
    scope.halt();
    scope.close();
    assertThat(runs).containsExactly("clean-up");
    assertThat(slot.cause).isEqualTo(Cause.CLOSED);
  }

  @Test
  void e31_failureOfTheFirstClose_isNotThrownByTheSecond() {
    Scope scope = Scope.open();
    scope.onClose(
        () -> {
          throw new IllegalStateException("clean-up");
        });
    assertThatThrownBy(scope::close).hasMessage("clean-up");
    assertThatCode(scope::close).doesNotThrowAnyException();
  }

  @Test
  void e31_closeCalledAgainByAFinalizer_changesNothing() {
    List<String> runs = new ArrayList<>();
    try (LogCapture log = new LogCapture()) {
      Scope scope = Scope.open();
      scope.onClose(() -> runs.add("first"));
      scope.onClose(
          () -> {
            scope.close();
            runs.add("second");
          });
      scope.close();
      assertThat(log.text()).isEmpty();
    }
    assertThat(runs).containsExactly("second", "first");
  }

  @Test
  void outerScopeClosedByAFinalizerOfTheInner_bothEnd_andTheThreadIsFree() throws Exception {
    Patience.onOwnThread(
        () -> {
          List<String> runs = new ArrayList<>();
          Scope outer = Scope.open("outer", Policy.failFast());
          outer.onClose(() -> runs.add("outer"));
          FakeSlot.armedIn(outer).endingWhenHalted(() -> runs.add("slot"));
          Scope inner = Scope.open("inner", Policy.failFast());
          inner.onClose(() -> runs.add("inner"));
          inner.onClose(outer::close);
          inner.close();
          assertThat(runs).containsExactly("slot", "outer", "inner");
          assertThat(ScopeCore.innermost()).isNull();
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"close.begin", "close.wait", "close.empty", "close.tasks", "halt.done"})
  void e31_interruptsAndHaltsDuringClose_changeNothing_andTheFlagIsKept(String point)
      throws Exception {
    Patience.onOwnThread(
        () -> {
          List<String> order = new ArrayList<>();
          Scope outer = Scope.open("outer", Policy.failFast());
          outer.onClose(() -> order.add("outer"));
          Scope inner = Scope.open("inner", Policy.failFast());
          inner.onClose(() -> order.add("inner"));
          FakeSlot slot = FakeSlot.armedIn(inner);
          Thread owner = Thread.currentThread();
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    awaitQuietly(slot.halted);
                    for (int i = 0; i < 3; i++) {
                      owner.interrupt();
                      inner.halt();
                      outer.halt();
                    }
                    order.add("slot");
                    slot.leave();
                  });
          owner.interrupt();
          try (Points points = Points.onThisThreadAt(point, owner::interrupt)) {
            inner.close();
            assertThat(points.hasFired()).isTrue();
          }
          assertThat(Thread.interrupted()).isTrue();
          assertThat(order).containsExactly("slot", "inner");
          outer.close();
          assertThat(Thread.interrupted()).isFalse();
          assertThat(order).containsExactly("slot", "inner", "outer");
        });
  }

  @Test
  void finalizer_runsWithoutTheInterruptFlag_whichIsRestored() throws Exception {
    Patience.onOwnThread(
        () -> {
          AtomicBoolean seen = new AtomicBoolean();
          Scope scope = Scope.open();
          scope.onClose(() -> seen.set(Thread.currentThread().isInterrupted()));
          Thread.currentThread().interrupt();
          scope.close();
          assertThat(seen).isFalse();
          assertThat(Thread.interrupted()).isTrue();
        });
  }

  @Test
  void exceptionOfTheBlock_comesFirst_thoseOfCloseAreSuppressedOnce() {
    IllegalArgumentException block = new IllegalArgumentException("block");
    IllegalStateException cleanUp = new IllegalStateException("clean-up");
    Throwable thrown =
        catchThrowable(
            () -> {
              try (Scope scope = Scope.open()) {
                scope.onClose(
                    () -> {
                      throw cleanUp;
                    });
                scope.onClose(
                    () -> {
                      throw cleanUp;
                    });
                throw block;
              }
            });
    assertThat(thrown).isSameAs(block);
    assertThat(thrown.getSuppressed()).containsExactly(cleanUp);
    assertThat(cleanUp.getSuppressed()).isEmpty();
  }

  @Test
  void e36_failureThatNobodyJoined_isThrownByClose_once() throws Exception {
    Scope scope = Scope.open("s", Policy.failFast());
    Task<String> task =
        scope.fork(
            inner -> {
              throw new IllegalArgumentException("bad");
            });
    Awaitility.await().until(() -> task.state() == Task.State.FAILED);
    assertThatThrownBy(scope::close)
        .isInstanceOf(ScopeFailedException.class)
        .hasMessage("A body of scope 's' failed: java.lang.IllegalArgumentException: bad");
    assertThatCode(scope::close).doesNotThrowAnyException();
  }

  @Test
  void e36_failureThatJoinHasThrown_isNotThrownByClose() throws Exception {
    Scope scope = Scope.open();
    scope.fork(
        inner -> {
          throw new IllegalArgumentException("bad");
        });
    assertThatThrownBy(scope::join).isInstanceOf(ScopeFailedException.class);
    assertThatCode(scope::close).doesNotThrowAnyException();
  }

  @Test
  void e36_failureThatGetHasThrown_isNotThrownByClose() {
    Scope scope = Scope.open();
    Task<String> task =
        scope.fork(
            inner -> {
              throw new IllegalArgumentException("bad");
            });
    Awaitility.await().until(() -> task.state() == Task.State.FAILED);
    assertThatThrownBy(task::get).isInstanceOf(ScopeFailedException.class);
    assertThatCode(scope::close).doesNotThrowAnyException();
  }

  @Test
  void e36_failureThatWasToldBeforeItsSlotWasJudged_isNotThrownByClose() {
    Scope scope = Scope.open();
    FakeSlot slot = FakeSlot.armedIn(scope);
    slot.failure = new IllegalArgumentException("bad");
    slot.told();
    slot.leave();
    assertThatCode(scope::close).doesNotThrowAnyException();
  }

  @Test
  void e36_failureToldOfAnotherSlot_doesNotSilenceTheFirst() {
    Scope scope = Scope.open();
    FakeSlot first = FakeSlot.armedIn(scope);
    FakeSlot second = FakeSlot.armedIn(scope);
    first.failure = new IllegalArgumentException("first");
    second.failure = new IllegalArgumentException("second");
    first.leave();
    second.leave();
    second.told();
    assertThatThrownBy(scope::close).hasMessage("first");
  }

  @Test
  void bodyThatEndsByTheClose_isNoFailure() {
    Scope scope = Scope.open();
    CountDownLatch running = new CountDownLatch(1);
    Task<String> task =
        scope.fork(
            inner -> {
              running.countDown();
              new CountDownLatch(1).await();
              return "never";
            });
    awaitQuietly(running);
    assertThatCode(scope::close).doesNotThrowAnyException();
    assertThatThrownBy(task::get).hasCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void e39_scopesClosedOutOfOrder_areCleanedInnermostFirst_thenReported() {
    List<String> order = new ArrayList<>();
    Scope outer = Scope.open("outer", Policy.failFast());
    Scope middle = Scope.open("middle", Policy.failFast());
    Scope inner = Scope.open("inner", Policy.failFast());
    for (Scope scope : List.of(outer, middle, inner)) {
      scope.onClose(() -> order.add(scope.name()));
      FakeSlot.armedIn(scope).endingWhenHalted(() -> order.add("slot of " + scope.name()));
    }

    assertThatThrownBy(outer::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "Scope 'outer' was closed while its inner scope 'inner', opened at"
                + " dev.holdfast.scope.CloseTest.")
        .hasMessageEndingWith(
            "was open; the inner one has been closed first. Close scopes in reverse order, best by"
                + " try-with-resources.")
        .satisfies(
            t ->
                assertThat(t.getSuppressed())
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("inner scope 'middle'"));
    assertThat(order)
        .containsExactly(
            "slot of inner", "inner", "slot of middle", "middle", "slot of outer", "outer");
    assertThatCode(middle::close).doesNotThrowAnyException();
    assertThatCode(inner::close).doesNotThrowAnyException();
    assertThat(ScopeCore.innermost()).isNull();
    try (Scope next = Scope.open()) {
      assertThat(next.fork(body -> 1)).isNotNull();
    }
  }

  @Test
  void survivor_isReportedByClose_whichIsOver() {
    Scope scope = Scope.open("s", Policy.failFast());
    FakeSlot stuck = FakeSlot.armedIn(scope);
    stuck.survivor = "pid 5, state D, 'dd'";
    FakeSlot fine = FakeSlot.armedIn(scope);
    stuck.endingWhenHalted();
    fine.endingWhenHalted();
    assertThatThrownBy(scope::close)
        .isInstanceOfSatisfying(
            TeardownException.class,
            e -> assertThat(e.survivors()).containsExactly("pid 5, state D, 'dd'"))
        .hasMessage("Scope 's' could not end: pid 5, state D, 'dd'. All else in it is gone.");
  }

  @Test
  void survivorOfABodyThatWasInterrupted_isReportedByTheOuterScope() {
    CountDownLatch running = new CountDownLatch(1);
    Scope scope = Scope.open("s", Policy.failFast());
    scope.fork(
        inner -> {
          FakeSlot stuck = FakeSlot.armedIn(inner);
          stuck.survivor = "pid 5";
          stuck.endingWhenHalted();
          running.countDown();
          new CountDownLatch(1).await();
          return "never";
        });
    awaitQuietly(running);
    assertThatThrownBy(scope::close)
        .isInstanceOfSatisfying(
            TeardownException.class, e -> assertThat(e.survivors()).containsExactly("pid 5"));
  }

  @Test
  void othersMayNotClose_norForkNorJoinNorAcquire_andAreToldWhatToDo() throws Exception {
    try (Scope scope = Scope.open("s", Policy.failFast())) {
      FakeSlot slot = FakeSlot.armedIn(scope).endingWhenHalted();
      record Attempt(String what, Patience.Code code) {}
      List<Attempt> attempts =
          List.of(
              new Attempt("close", scope::close),
              new Attempt("fork", () -> scope.fork(inner -> 1)),
              new Attempt("join", scope::join),
              new Attempt("acquire", () -> scope.acquire(() -> 1, i -> {})),
              new Attempt("onClose", () -> scope.onClose(() -> {})));
      for (Attempt attempt : attempts) {
        assertThatThrownBy(() -> Patience.onOwnThread(attempt.code()))
            .isInstanceOf(WrongThreadException.class)
            .hasMessageStartingWith(attempt.what() + " of scope 's' is for its owner, Thread[#")
            .hasMessageEndingWith("; from other threads use halt().")
            .hasMessageContaining("and was called by Thread[#");
      }
      assertThat(slot.halts).hasValue(0);
      assertThat(scope.acquire(() -> "still open", s -> {})).isEqualTo("still open");
    }
  }

  @Test
  void afterClose_everythingIsRefusedWithASentence() {
    Scope scope = Scope.open("s", Policy.failFast());
    scope.close();
    List<Patience.Code> attempts =
        List.of(
            () -> scope.fork(inner -> 1),
            scope::join,
            () -> scope.acquire(() -> 1, i -> {}),
            () -> scope.onClose(() -> {}));
    for (Patience.Code attempt : attempts) {
      assertThatThrownBy(attempt::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Scope 's' is closed; open another scope.");
    }
    assertThatThrownBy(() -> FakeSlot.armedIn(scope))
        .isInstanceOf(ScopeHaltedException.class)
        .hasMessage("Scope 's' is halted (CLOSED) and accepts nothing more; open another scope.");
  }

  static Stream<Arguments> strikesAtEachPoint() {
    return Stream.of(
            "close.begin",
            "halt.begin",
            "halt.done",
            "close.wait",
            "close.empty",
            "close.tasks",
            "close.done")
        .flatMap(point -> Stream.of(Strike.values()).map(strike -> Arguments.of(point, strike)));
  }

  @ParameterizedTest
  @MethodSource("strikesAtEachPoint")
  void e1_strikeAtAHaltPointOfClose_leavesNothing(String point, Strike strike) throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    List<String> order = new ArrayList<>();
    Patience.onOwnThread(
        () -> {
          Scope scope = Scope.open();
          scope.onClose(() -> order.add("first"));
          scope.acquire(() -> "second", order::add);
          CountDownLatch running = new CountDownLatch(1);
          scope.fork(
              inner -> {
                FakeSlot.armedIn(inner).endingWhenHalted(() -> order.add("slot"));
                running.countDown();
                new CountDownLatch(1).await();
                return "never";
              });
          Patience.await(running);
          try (Points points = Points.onThisThreadAt(point, () -> strike.on(scope))) {
            thrown.set(catchThrowable(scope::close));
            assertThat(points.hasFired()).isTrue();
          }
          assertThat(Thread.interrupted()).isEqualTo(strike == Strike.INTERRUPT);
          assertThat(ScopeCore.innermost()).isNull();
        });
    assertThat(order).containsExactly("slot", "second", "first");
    if (strike.isError()) {
      assertThat(thrown.get()).isInstanceOf(Error.class).hasMessage("struck");
    } else {
      assertThat(thrown.get()).isNull();
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
