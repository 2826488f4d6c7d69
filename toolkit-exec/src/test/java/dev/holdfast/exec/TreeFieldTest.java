package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The field cases TREE. */
class TreeFieldTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path dir;

  /** dash and bash differ in when they fork and when they exec, and so do these two forms. */
  @ParameterizedTest
  @CsvSource({
    "/bin/dash, 'sleep 300'",
    "/bin/dash, 'sleep 300; :'",
    "/bin/bash, 'sleep 300'",
    "/bin/bash, 'sleep 300; :'"
  })
  void tree01_shellWithASleep_scopeCloses_allGone(
      String shell, String script, Marker marker, Census census) {
    try (var bystander = Bystander.start()) {
      for (var containment : Containment.values()) {
        try (var scope = Exec.scope(options -> options.containment(containment))) {
          scope.spawn(Command.of(Fixture.shell(shell, marker, script)));
          awaitCommand(census, "sleep 300");
        }
        census.assertNone();
      }
      bystander.assertUnharmed();
    }
  }

  @Test
  void tree03_ownSession_treeEndsIt(Marker marker, Census census) {
    try (var scope = Exec.scope()) {
      scope.spawn(Command.of(Fixture.shell(marker, "setsid sleep 300 & wait")));
      awaitCommand(census, "sleep 300");
    }
    census.assertNone();
  }

  @Test
  void tree03_ownSession_groupNamesIt(Marker marker, Census census) {
    try (var log = ErrorLog.open()) {
      ProcessEntry escaped;
      try (var scope = Exec.scope(options -> options.containment(Containment.GROUP))) {
        scope.spawn(Command.of(Fixture.shell(marker, "setsid sleep 300 & wait")));
        escaped = awaitCommand(census, "sleep 300");
      }

      assertThat(census.endAll()).extracting(ProcessEntry::pid).containsExactly(escaped.pid());
      assertThat(log.text())
          .contains("WARN")
          .contains("pid " + escaped.pid())
          .contains("'sleep 300'");
    }
  }

  @ParameterizedTest
  @EnumSource(Containment.class)
  void tree05_orphanOfALeaderThatIsGone_endsAtClose(
      Containment containment, Marker marker, Census census) throws InterruptedException {
    try (var scope = Exec.scope(options -> options.containment(containment))) {
      var child = scope.spawn(Command.of(Fixture.shell(marker, "(sleep 300 &)")));
      child.join().expectSuccess();
      awaitCommand(census, "sleep 300");
      assertThat(child.treeGone()).isNotDone();
    }
    census.assertNone();
  }

  @Test
  void tree09_termTrap_hasItsTime(ExecScope scope, Marker marker) {
    var file = dir.resolve("saved");
    var child =
        spawnReady(
            scope,
            Fixture.command(
                marker,
                "trap",
                "TERM",
                "[",
                "sleep",
                "0.3",
                "touch",
                file.toString(),
                "exit",
                "7",
                "]",
                "say",
                "ready",
                "forever"));

    var result = child.stop();

    assertThat(file).exists();
    assertThat(result.status()).isEqualTo(new ExitStatus.Exited(7));
    assertThat(result.cause()).isEqualTo(Cause.STOPPED);
  }

  @Test
  void tree09_termIgnored_killComesOnlyAfterTheGrace(ExecScope scope, Marker marker) {
    var grace = Duration.ofMillis(700);
    var child =
        spawnReady(
            scope,
            Fixture.command(marker, "ignore", "TERM", "say", "ready", "forever"),
            StopPolicy.graceful(grace));

    var start = System.nanoTime();
    var result = child.stop();

    assertThat(result.status()).isEqualTo(new ExitStatus.Signaled(Signal.KILL, false));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(grace, SOON);
  }

  @Test
  void tree11_leaderWithoutEnvironment_endsAtClose(Marker marker, Census census) {
    try (var scope = Exec.scope()) {
      spawnReady(scope, Fixture.command(marker, "cleanenv", "say", "ready", "forever"));
    }
    census.assertNone();
  }

  /** It carries no cookie and is in none of the groups: the chain of parents alone leads to it. */
  @Test
  void tree11_descendantWithoutEnvironmentInItsOwnSession_endsAtClose(
      Marker marker, Census census) {
    try (var scope = Exec.scope()) {
      spawnReady(
          scope,
          Fixture.command(
              marker,
              "start",
              "[",
              "setsid",
              "cleanenv",
              "up",
              "forever",
              "]",
              "say",
              "ready",
              "forever"));
      census.awaitLive(2, SOON);
    }
    census.assertNone();
  }

  private static ChildProcess spawnReady(ExecScope scope, java.util.List<String> words) {
    return spawnReady(scope, words, StopPolicy.standard());
  }

  private static ChildProcess spawnReady(
      ExecScope scope, java.util.List<String> words, StopPolicy stop) {
    var child = scope.spawn(Command.of(words).stdout(Output.pipe()).stop(stop));
    assertThat(child.lines().findFirst()).contains("ready");
    return child;
  }

  private static ProcessEntry awaitCommand(Census census, String command) {
    return await()
        .atMost(SOON)
        .until(
            () -> census.live().stream().filter(p -> p.command().equals(command)).findFirst(),
            java.util.Optional::isPresent)
        .orElseThrow();
  }
}
