package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScopeExtensionTest {

  private static final AtomicInteger OPENED = new AtomicInteger();
  private static final AtomicInteger CLOSED = new AtomicInteger();
  private static final AtomicInteger WARMED = new AtomicInteger();

  @RegisterExtension
  static final ScopeExtension<PlainScope> SCOPES =
      ScopeExtension.of(PlainScope::new)
          .warmingUp(scope -> WARMED.incrementAndGet())
          .allowingThreads("plain-stays");

  @BeforeEach
  void scope_beforeEachMethod_getsTheSame(PlainScope scope) {
    scope.seen++;
  }

  @AfterAll
  static void everyScope_wasClosedAndOneWarmedUp() {
    assertThat(CLOSED).hasValue(OPENED.get());
    assertThat(WARMED).hasValue(1);
  }

  @Test
  void scope_ofTheTest_isFreshAndItsThreadEndsWithIt(
      PlainScope scope, Marker marker, Census census) {
    assertThat(scope.seen).isOne();
    assertThat(scope.thread.isAlive()).isTrue();
    assertThat(marker.text()).startsWith("holdfast-m-");
    census.assertNone();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void scope_parameterizedTest_isFreshEachTime(int argument, PlainScope scope) {
    assertThat(argument).isPositive();
    assertThat(scope.seen).isOne();
  }

  /** Holds a thread until it is closed. */
  static final class PlainScope implements AutoCloseable {
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread =
        Thread.ofPlatform().name("plain-ends").start(() -> Uninterrupted.await(end));
    private int seen;

    PlainScope() {
      OPENED.incrementAndGet();
    }

    @Override
    public void close() {
      CLOSED.incrementAndGet();
      end.countDown();
    }
  }
}
