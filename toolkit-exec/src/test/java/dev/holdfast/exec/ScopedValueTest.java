package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ScopedValueTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  private static final ScopedValue<String> REQUEST = ScopedValue.newInstance();
  private static final String WAY_OUT = "open the scope inside the binding";

  @Test
  void scope01_laterBinding_spawnRunAndForkAreRefusedWithTheWayOut(
      ExecScope scope, Marker marker, Census census) throws Exception {
    var sleep = Command.of(Fixture.program(marker, "sleep", "300"));
    ScopedValue.where(REQUEST, "1")
        .run(
            () -> {
              assertThatIllegalStateException()
                  .isThrownBy(() -> scope.spawn(sleep))
                  .withMessageContainingAll("spawn", "opened at", WAY_OUT);
              assertThatIllegalStateException()
                  .isThrownBy(() -> scope.run(sleep))
                  .withMessageContaining(WAY_OUT);
              assertThatIllegalStateException()
                  .isThrownBy(() -> scope.fork(inner -> inner.run(sleep)))
                  .withMessageContaining(WAY_OUT);
            });

    census.assertNone();
    scope.run(Command.of("true")).expectSuccess();
  }

  @Test
  void scope01_laterBindingAroundAnEarlierOne_isRefused(ExecScope unused) {
    ScopedValue.where(REQUEST, "outer")
        .run(
            () -> {
              try (var scope = Exec.scope()) {
                scope.spawn(Command.of("true"));
                ScopedValue.where(REQUEST, "inner")
                    .run(
                        () ->
                            assertThatIllegalStateException()
                                .isThrownBy(() -> scope.spawn(Command.of("true")))
                                .withMessageContaining(WAY_OUT));
              }
            });
  }

  @Test
  void scope01_scopeOpenedInsideTheBinding_works(ExecScope unused, Marker marker, Census census) {
    ScopedValue.where(REQUEST, "1")
        .run(
            () -> {
              try (var scope = Exec.scope()) {
                scope.spawn(Command.of(Fixture.program(marker, "sleep", "300")));
                assertThat(scope.fork(inner -> REQUEST.get())).isNotNull();
              }
            });
    census.assertNone();
  }

  /** spawn is for any thread, and the bindings of another thread are its own affair. */
  @Test
  void scope01_bindingOfAnotherThread_works(ExecScope scope) throws Exception {
    var task = new FutureTask<>(() -> scope.run(Command.of("true")).isSuccess());
    Thread.ofVirtual().start(() -> ScopedValue.where(REQUEST, "1").run(task));

    assertThat(task.get(20, TimeUnit.SECONDS)).isTrue();
  }
}
