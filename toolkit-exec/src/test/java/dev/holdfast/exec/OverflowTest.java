package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.exec.ExecException.Reason;
import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A child that writes more than is kept. */
class OverflowTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  private static final int MIB = 1024 * 1024;

  /** Writes 2 MiB with a mark at both ends, and then lives on. */
  private static Command floods(Marker marker) {
    return Command.of(
        Fixture.command(
            marker, "say", "HEAD", "write", "stdout", "2097152", "say", "", "say", "TAIL", "start",
            "[", "up", "forever", "]", "forever"));
  }

  @Test
  void fail_endsTheTreeAndThrowsWithWhatWasRead(ExecScope scope, Marker marker, Census census)
      throws Exception {
    Command command = floods(marker).stdout(Output.capture(MIB));
    ExecException failure = catchThrowableOfType(ExecException.class, () -> scope.run(command));
    assertThat(failure.reason()).isEqualTo(Reason.OUTPUT_LIMIT);
    assertThat(failure.result().cause()).isEqualTo(Cause.OUTPUT_LIMIT);
    assertThat(failure.result().stdoutBytes())
        .hasSize(MIB)
        .startsWith("HEAD\nx".getBytes(US_ASCII));
    assertThat(failure.result().truncated()).isTrue();
    assertThat(scope.awaitProcesses(Duration.ofSeconds(20))).isTrue();
    census.assertNone();
  }

  @Test
  void stop_endsTheTreeAndReturnsWhatWasRead(ExecScope scope, Marker marker, Census census)
      throws Exception {
    Result result = scope.run(floods(marker).stdout(Output.capture(MIB, Overflow.STOP)));
    assertThat(result.cause()).isEqualTo(Cause.OUTPUT_LIMIT);
    assertThat(result.isSuccess()).isFalse();
    assertThat(result.stdoutBytes()).hasSize(MIB);
    assertThat(result.truncated()).isTrue();
    assertThat(scope.awaitProcesses(Duration.ofSeconds(20))).isTrue();
    census.assertNone();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1_001, MIB})
  void truncate_joinsHeadAndTailWhileTheChildRunsOn(int limit, ExecScope scope, Marker marker)
      throws Exception {
    Result result =
        scope.run(
            Command.of(
                    Fixture.command(
                        marker, "say", "HEAD", "write", "stdout", "2097152", "say", "TAIL", "exit",
                        "3"))
                .stdout(Output.capture(limit, Overflow.TRUNCATE)));
    assertThat(result.status()).isEqualTo(new ExitStatus.Exited(3));
    assertThat(result.cause()).isEqualTo(Cause.SELF);
    assertThat(result.truncated()).isTrue();
    String whole = "HEAD\n" + "x".repeat(2 * MIB) + "TAIL\n";
    int head = limit / 2;
    assertThat(result.stdout())
        .isEqualTo(whole.substring(0, head) + whole.substring(whole.length() - (limit - head)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"FAIL", "TRUNCATE", "STOP"})
  void exactlyAsMuchAsIsKept_isNoOverflow(Overflow overflow, ExecScope scope, Marker marker)
      throws Exception {
    Result result =
        scope.run(
            Command.of(Fixture.command(marker, "write", "stderr", "100000"))
                .stderr(Output.capture(100_000, overflow)));
    assertThat(result.expectSuccess().stderrBytes()).hasSize(100_000);
    assertThat(result.truncated()).isFalse();
  }

  @Test
  void fail_ofASpawnedChild_isThrownByEachJoin(ExecScope scope, Marker marker) throws Exception {
    ChildProcess child = scope.spawn(floods(marker).stdout(Output.capture(MIB)));
    child.treeGone().get(20, SECONDS);
    for (int i = 0; i < 2; i++) {
      ExecException failure = catchThrowableOfType(ExecException.class, child::join);
      assertThat(failure.reason()).isEqualTo(Reason.OUTPUT_LIMIT);
    }
  }

  @Test
  void tail_keepsTheEndAndIsNoFailure(ExecScope scope, Marker marker) throws Exception {
    Result result =
        scope.run(
            Command.of(Fixture.command(marker, "write", "stdout", "200000", "say", "END"))
                .stdout(Output.tail(1_000)));
    assertThat(result.expectSuccess().stdout()).hasSize(1_000).endsWith("xEND\n");
    assertThat(result.truncated()).isTrue();
  }
}
