package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.holdfast.scope.ScopeFailedException;
import dev.holdfast.scope.Task;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.Witnessed;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The ways out of a scope. */
@Witnessed(allowedThreads = "holdfast-")
class LeavingTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @BeforeAll
  static void warmUp() {
    try (ExecScope scope = Exec.scope()) {
      scope.spawn(Command.of("true")).stop();
    }
  }

  private static Command tree(Marker marker) {
    return Command.of(
            Fixture.command(
                marker, "ignore", "TERM", "start", "[", "ignore", "TERM", "up", "forever", "]",
                "say", "ready", "forever"))
        .stop(StopPolicy.kill());
  }

  /** A body of a try-with-resources block. */
  interface WayOut {
    void leave(ExecScope scope) throws Exception;
  }

  static Stream<WayOut> waysOut() {
    return Stream.of(
        scope -> {},
        scope -> {
          throw new IOException("checked");
        },
        scope -> {
          throw new IllegalStateException("unchecked");
        },
        scope -> {
          throw new StackOverflowError("error");
        },
        scope -> {
          Thread.currentThread().interrupt();
          scope.join();
        },
        scope -> {
          scope.fork(
              inner -> {
                throw new IOException("in a body");
              });
          scope.join();
        },
        scope -> {
          scope.halt();
          scope.run(Command.of("true"));
        },
        scope -> scope.run(Command.of("false")).expectSuccess(),
        scope -> scope.run(Command.of("/nope")));
  }

  @ParameterizedTest
  @MethodSource("waysOut")
  void canc05_whateverWayOut_everyProcessIsEnded(WayOut wayOut, Marker marker, Census census) {
    Throwable thrown =
        catchThrowable(
            () -> {
              try (ExecScope scope = Exec.scope()) {
                scope.spawn(tree(marker));
                scope.fork(inner -> inner.spawn(tree(marker)).join());
                census.awaitLive(4, SOON);
                wayOut.leave(scope);
              }
            });
    census.assertNone();
    assertThat(Thread.interrupted()).isFalse();
    if (thrown instanceof Exception e) {
      assertThat(e.getSuppressed()).allMatch(s -> s instanceof RuntimeException);
    }
  }

  @Test
  void canc05_exceptionOfTheBody_isPrimary(Marker marker) {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(
            () -> {
              try (ExecScope scope = Exec.scope()) {
                scope.onClose(
                    () -> {
                      throw new IllegalArgumentException("clean-up");
                    });
                scope.spawn(tree(marker));
                throw new IOException("body");
              }
            })
        .withMessage("body")
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .isInstanceOf(IllegalArgumentException.class));
  }

  @Test
  void e39_outerClosedFirst_bothAreCleanedThenReported(Marker marker, Census census) {
    List<String> order = new ArrayList<>();
    ExecScope outer = Exec.scope(options -> options.name("outer"));
    outer.onClose(() -> order.add("outer, " + census.live().size() + " left"));
    outer.spawn(tree(marker));
    ExecScope inner = Exec.scope(options -> options.name("inner"));
    inner.onClose(() -> order.add("inner"));
    inner.spawn(tree(marker));
    census.awaitLive(4, SOON);

    assertThatIllegalStateException()
        .isThrownBy(outer::close)
        .withMessageContaining("'outer'")
        .withMessageContaining("'inner'")
        .withMessageContaining("LeavingTest");
    census.assertNone();
    assertThat(order).containsExactly("inner", "outer, 0 left");
    inner.close();
    outer.close();
    assertThatExceptionOfType(ExecException.class)
        .isThrownBy(() -> inner.spawn(tree(marker)))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(ExecException.Reason.SCOPE_HALTED));
  }

  @Test
  void e39_failureOfTheInner_isNotLost(Marker marker, Census census) {
    ExecScope outer = Exec.scope();
    ExecScope inner = Exec.scope();
    inner.spawn(tree(marker));
    Task<?> task =
        inner.fork(
            body -> {
              throw new IOException("inner body");
            });
    await().atMost(SOON).until(() -> task.state() == Task.State.FAILED);
    Throwable thrown = catchThrowable(outer::close);
    census.assertNone();
    assertThat(thrown).isInstanceOf(IllegalStateException.class);
    assertThat(thrown.getSuppressed()).hasAtLeastOneElementOfType(ScopeFailedException.class);
  }
}
