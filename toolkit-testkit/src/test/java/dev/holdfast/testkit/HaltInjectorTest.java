package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.scope.HaltPoint;
import dev.holdfast.testkit.Injection.Target;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Witnessed
class HaltInjectorTest {

  private static final HaltPoint FIRST = HaltPoint.named("testkit.first");
  private static final HaltPoint SECOND = HaltPoint.named("testkit.second");

  @Test
  void recording_passes_areListedInOrderAndNothingStrikes() {
    try (var injector = HaltInjector.recording()) {
      pass();

      assertThat(injector.names())
          .containsExactly("testkit.first", "testkit.second", "testkit.first");
      assertThat(injector.passes()).last().hasToString("testkit.first#2");
      assertThat(injector.fired()).isEmpty();
    }
  }

  @Test
  void at_nameAndOccurrence_strikesThereOnce() {
    var struck = new AtomicReference<String>("");
    try (var injector =
        HaltInjector.at(
            "testkit.first", 2, point -> struck.accumulateAndGet(point.name(), String::concat))) {
      pass();
      pass();

      assertThat(struck).hasValue("testkit.first");
      assertThat(injector.fired()).get().extracting(HaltInjector.Pass::number).isEqualTo(3);
    }
  }

  @Test
  void at_number_strikesThere() {
    try (var injector = HaltInjector.at(2, point -> {})) {
      pass();

      assertThat(injector.fired()).get().hasToString("testkit.second#1");
    }
  }

  @Test
  void close_takesItOut_andASecondIsRefusedBefore() {
    var injector = HaltInjector.at(1, Injection.ERROR.on(Target.ownedHere(() -> {})));
    try (injector) {
      assertThatThrownBy(HaltInjector::recording)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("close it first");
    }
    pass();
    assertThat(injector.passes()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void injection_everyKind_doesWhatItSays(Injection kind) {
    var haltedBy = new AtomicReference<Thread>();
    var timedOutBy = new AtomicReference<Thread>();
    var me = Thread.currentThread();
    var target =
        new Target(
            me,
            () -> haltedBy.set(Thread.currentThread()),
            () -> timedOutBy.set(Thread.currentThread()));
    try (var injector = HaltInjector.at("testkit.first", 1, kind.on(target))) {
      var thrown = thrownBy(FIRST::pass);

      assertThat(injector.fired()).isPresent();
      switch (kind) {
        case INTERRUPT, INTERRUPT_OWNER -> assertThat(Thread.interrupted()).isTrue();
        case HALT -> assertThat(haltedBy.get()).isNotNull().isNotSameAs(me);
        case HALT_HERE -> assertThat(haltedBy).hasValue(me);
        case TIMEOUT -> assertThat(timedOutBy.get()).isNotNull().isNotSameAs(me);
        case ERROR ->
            assertThat(thrown).isInstanceOf(InjectedError.class).hasMessageContaining(FIRST.name());
        case STACK_OVERFLOW -> assertThat(thrown).isInstanceOf(StackOverflowError.class);
        case OUT_OF_MEMORY -> assertThat(thrown).isInstanceOf(OutOfMemoryError.class);
      }
    }
  }

  @Test
  void close_haltThatThrew_failsAlthoughTheCodeUnderTestSwallowedIt() {
    var target =
        Target.ownedHere(
            () -> {
              throw new IllegalStateException("broken halt");
            });
    var injector = HaltInjector.at(1, Injection.HALT.on(target));
    assertThat(thrownBy(FIRST::pass)).isInstanceOf(AssertionError.class);

    assertThatThrownBy(injector::close)
        .isInstanceOf(AssertionError.class)
        .hasRootCauseMessage("broken halt");
  }

  @Test
  void gate_threadAtThePoint_isHeldUntilOpened() {
    var passed = new CountDownLatch(1);
    try (var gate = new Gate();
        var injector = HaltInjector.at("testkit.first", 1, gate)) {
      var held =
          Thread.ofVirtual()
              .start(
                  () -> {
                    FIRST.pass();
                    passed.countDown();
                  });
      gate.awaitReached();
      assertThat(passed.getCount()).isOne();
      assertThat(injector.fired()).isPresent();
      gate.open();
      Uninterrupted.join(held);
      assertThat(passed.getCount()).isZero();
    }
  }

  @Test
  void coverage_pointsThatFellShort_areNamed() {
    var coverage = new HaltCoverage();
    for (int i = 0; i < 2; i++) {
      try (var injector = HaltInjector.at("testkit.first", 1, point -> {})) {
        pass();
        coverage.add(injector);
      }
    }

    assertThat(coverage.fired("testkit.first")).isEqualTo(2);
    assertThat(coverage.passed("testkit.first")).isEqualTo(4);
    coverage.assertPassed(2, name -> name.startsWith("testkit."));
    coverage.assertFired(2, "testkit.first"::equals);
    assertThatThrownBy(() -> coverage.assertFired(1, name -> name.startsWith("testkit.")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 of 2 halt points were struck fewer than 1 times")
        .hasMessageContaining("testkit.second: 0 times");
    assertThatThrownBy(() -> coverage.assertFired(1, "no such point"::equals))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("nothing was proven");
  }

  private static void pass() {
    FIRST.pass();
    SECOND.pass();
    FIRST.pass();
  }

  private static Throwable thrownBy(Runnable code) {
    try {
      code.run();
      return new Throwable("nothing was thrown");
    } catch (Throwable thrown) {
      return thrown;
    }
  }
}
