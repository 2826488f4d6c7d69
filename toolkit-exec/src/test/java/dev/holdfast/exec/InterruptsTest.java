package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interrupt at every place where a caller waits. */
class InterruptsTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  private static final Duration SOON = Duration.ofSeconds(20);

  /** More than a scheduler takes, less than the children sleep. */
  private static final Duration AT_ONCE = Duration.ofSeconds(10);

  private static final Duration GRACE = Duration.ofMillis(500);

  private static Command sleeper(Marker marker) {
    return Command.of(Fixture.program(marker, "sleep", "60"));
  }

  /** Ends by KILL alone, after the grace. */
  private static Command deaf(Marker marker) {
    return Command.of(Fixture.command(marker, "ignore", "TERM", "say", "ready", "forever"))
        .stop(StopPolicy.graceful(GRACE));
  }

  private static ChildProcess ready(ChildProcess child) {
    await().atMost(SOON).until(() -> "ready\n".equals(child.tails().stdout()));
    return child;
  }

  private static void assertThrownAtOnce(Interrupted<?> outcome) {
    assertThat(outcome.thrown()).isInstanceOf(InterruptedException.class);
    assertThat(outcome.flag()).as("flag, as the exception tells it").isFalse();
    assertThat(outcome.took()).isLessThan(AT_ONCE);
  }

  @ParameterizedTest
  @EnumSource
  void e30_canc01_run_childIsEndedFirst(
      Interrupted.On on, ExecScope scope, Marker marker, Census census) throws Exception {
    AtomicReference<Integer> left = new AtomicReference<>();
    Interrupted<Result> outcome =
        Interrupted.during(
            on,
            () -> {
              try {
                return scope.run(deaf(marker));
              } catch (InterruptedException e) {
                left.set(census.live().size());
                throw e;
              }
            });
    assertThrownAtOnce(outcome);
    assertThat(left).as("processes when it was thrown").hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void e30_runWithTheFlagSet_childIsEndedFirst(
      Interrupted.On on, ExecScope scope, Marker marker, Census census) throws Exception {
    Interrupted<Result> outcome = Interrupted.before(on, () -> scope.run(sleeper(marker)));
    assertThrownAtOnce(outcome);
    census.assertNone();
  }

  @ParameterizedTest
  @EnumSource
  void e30_pipe04_execRunOfAShellThatWaits_bounded(Interrupted.On on, Marker marker, Census census)
      throws Exception {
    Command command = Command.of(Fixture.shell(marker, "sleep 60 & wait"));
    Interrupted<Result> outcome = Interrupted.during(on, () -> Exec.run(command));
    assertThrownAtOnce(outcome);
    census.assertNone();
  }

  @ParameterizedTest
  @EnumSource
  void e30_canc01_join_childStaysWithItsScope(
      Interrupted.On on, ExecScope scope, Marker marker, Census census) throws Exception {
    ChildProcess child = scope.spawn(sleeper(marker));
    assertThrownAtOnce(Interrupted.during(on, child::join));
    assertThrownAtOnce(Interrupted.before(on, child::join));
    assertThat(child.isAlive()).isTrue();
    assertThat(census.live()).hasSize(1);
    assertThat(child.kill().cause()).isEqualTo(Cause.STOPPED);
  }

  @ParameterizedTest
  @EnumSource
  void e30_timedJoin_childStaysWithItsScope(
      Interrupted.On on, ExecScope scope, Marker marker, Census census) throws Exception {
    ChildProcess child = scope.spawn(sleeper(marker));
    Interrupted<Optional<Result>> during =
        Interrupted.during(on, () -> child.join(Duration.ofMinutes(5)));
    assertThrownAtOnce(during);
    assertThat(census.live()).hasSize(1);
    assertThat(child.join(Duration.ofMillis(10))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void e30_awaitProcesses_childStaysWithItsScope(
      Interrupted.On on, ExecScope scope, Marker marker, Census census) throws Exception {
    scope.spawn(sleeper(marker));
    assertThrownAtOnce(Interrupted.during(on, () -> scope.awaitProcesses(Duration.ofMinutes(5))));
    assertThat(census.live()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void e30_joinOfTheScope_childrenStay_andItMayBeJoinedAgain(
      Interrupted.On on, Marker marker, Census census) throws Exception {
    AtomicReference<Integer> left = new AtomicReference<>();
    Interrupted<ExitStatus> outcome =
        Interrupted.during(
            on,
            () -> {
              try (ExecScope scope = Exec.scope()) {
                ChildProcess child = scope.spawn(sleeper(marker));
                try {
                  scope.join();
                } catch (InterruptedException e) {
                  left.set(census.live().size());
                }
                child.signal(Signal.KILL);
                scope.join();
                return child.join().status();
              }
            });
    assertThat(outcome.thrown()).isNull();
    assertThat(left).hasValue(1);
    assertThat(outcome.value()).isEqualTo(new ExitStatus.Signaled(Signal.KILL, false));
  }

  @ParameterizedTest
  @EnumSource
  void e30_stop_goesOnToItsEnd_andTheFlagIsRestored(
      Interrupted.On on, ExecScope scope, Marker marker, Census census) throws Exception {
    ChildProcess child = ready(scope.spawn(deaf(marker)));
    Interrupted<Result> outcome = Interrupted.during(on, child::stop);
    census.assertNone();
    assertThat(outcome.thrown()).isNull();
    assertThat(outcome.flag()).isTrue();
    assertThat(outcome.value().status()).isEqualTo(new ExitStatus.Signaled(Signal.KILL, false));
  }

  @ParameterizedTest
  @EnumSource
  void e30_killWithTheFlagSet_goesOnToItsEnd_andTheFlagIsRestored(
      Interrupted.On on, ExecScope scope, Marker marker, Census census) throws Exception {
    ChildProcess child = scope.spawn(sleeper(marker));
    Interrupted<Result> outcome = Interrupted.before(on, child::kill);
    census.assertNone();
    assertThat(outcome.thrown()).isNull();
    assertThat(outcome.flag()).isTrue();
    assertThat(outcome.value().status()).isEqualTo(new ExitStatus.Signaled(Signal.KILL, false));
  }

  @ParameterizedTest
  @EnumSource
  void e30_close_goesOnToItsEnd_andTheFlagIsRestored(
      Interrupted.On on, Marker marker, Census census) throws Exception {
    AtomicReference<ChildProcess> child = new AtomicReference<>();
    Interrupted<Integer> outcome =
        Interrupted.during(
            on,
            () -> {
              ExecScope scope = Exec.scope();
              child.set(ready(scope.spawn(deaf(marker))));
              scope.close();
              return census.live().size();
            });
    assertThat(outcome.thrown()).isNull();
    assertThat(outcome.value()).as("processes when close returned").isZero();
    assertThat(outcome.flag()).isTrue();
    assertThat(child.get().join().cause()).isEqualTo(Cause.CLOSED);
  }

  @ParameterizedTest
  @EnumSource
  void e30_readOfAStream_isInterruptedAndLosesNothing(
      Interrupted.On on, ExecScope scope, Marker marker) throws Exception {
    ChildProcess child =
        scope.spawn(
            Command.of(Fixture.shell(marker, "echo one; read x; echo two"))
                .stdin(Input.pipe())
                .stdout(Output.pipe()));
    InputStream stdout = child.stdout();
    assertThat(stdout.readNBytes(4)).asString().isEqualTo("one\n");
    Interrupted<Integer> outcome = Interrupted.during(on, stdout::read);
    assertThat(outcome.thrown()).isInstanceOf(InterruptedIOException.class);
    assertThat(outcome.flag()).isTrue();
    assertThat(outcome.took()).isLessThan(AT_ONCE);
    assertThat(child.isAlive()).isTrue();
    child.stdin().write('\n');
    assertThat(stdout.readAllBytes()).asString().isEqualTo("two\n");
    assertThat(child.join().isSuccess()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void e30_writeToAStream_isInterrupted(Interrupted.On on, ExecScope scope, Marker marker)
      throws Exception {
    ChildProcess child = scope.spawn(sleeper(marker).stdin(Input.pipe()));
    OutputStream stdin = child.stdin();
    Interrupted<Void> outcome =
        Interrupted.during(
            on,
            () -> {
              stdin.write(new byte[1_000_000]);
              return null;
            });
    assertThat(outcome.thrown()).isInstanceOf(InterruptedIOException.class);
    assertThat(outcome.flag()).isTrue();
    assertThat(outcome.took()).isLessThan(AT_ONCE);
    assertThat(child.isAlive()).isTrue();
  }

  @Test
  void canc04_slowChildThatStreamsLines_isCancelledAtOnce(
      ExecScope scope, Marker marker, Census census) throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    Command command =
        Command.of(Fixture.shell(marker, "(while :; do echo more; sleep .05; done) & wait"))
            .stdout(Output.lines(lines::add));
    Interrupted<Result> outcome =
        Interrupted.during(
            Interrupted.On.VIRTUAL, () -> scope.run(command), () -> lines.size() > 2);
    assertThrownAtOnce(outcome);
    census.assertNone();
    int delivered = lines.size();
    assertThat(scope.awaitProcesses(SOON)).isTrue();
    assertThat(lines).hasSize(delivered);
  }
}
