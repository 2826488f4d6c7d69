package dev.holdfast.exec;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.exec.libc.Signals;
import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.CpuStress;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The three ends of a child, apart from one another: exit, drain, end of the tree. */
class LifetimesTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  /** What a test waits for that must come. */
  private static final Duration SOON = Duration.ofSeconds(20);

  /** Less than what the holders of a pipe sleep, more than any grace. */
  private static final Duration LONG_BEFORE_THE_HOLDER_ENDS = Duration.ofSeconds(15);

  /** Leaves a zombie in its first group, whose parent has left the group and doesn't reap. */
  private static final String ZOMBIE_GROUP =
      """
      import os, sys
      group = os.getpgrp()
      ready, tell = os.pipe()
      if os.fork() == 0:
          os.setpgid(0, 0)
          member = os.fork()
          if member == 0:
              os.setpgid(0, group)
              os._exit(0)
          os.waitid(os.P_PID, member, os.WEXITED | os.WNOWAIT)
          os.write(tell, b"x")
          os.closerange(0, 3)
          with open(sys.argv[1]) as release:
              release.read()
          os._exit(0)
      os.read(ready, 1)
      print("group", group, flush=True)
      """;

  @TempDir private Path dir;

  private static Command sh(Marker marker, String script) {
    return Command.of(Fixture.shell(marker, script));
  }

  private static ExitStatus exited(int code) {
    return new ExitStatus.Exited(code);
  }

  @ParameterizedTest
  @EnumSource(Containment.class)
  void e8_zombieGroupOfANonReapingParent_treeIsGone(
      Containment containment, ExecScope scope, Marker marker, Census census) throws Exception {
    Path release = fifo("release");
    String python = Fixture.command(marker).getFirst();
    ChildProcess child =
        scope.spawn(
            Command.of(Fixture.program(marker, python, "-c", ZOMBIE_GROUP, release.toString()))
                .containment(containment)
                .stop(StopPolicy.graceful(Duration.ofMillis(200))));
    assertThat(child.exited().get(20, SECONDS)).isEqualTo(exited(0));
    int group = Integer.parseInt(child.join().stdout().strip().substring("group ".length()));

    assertThat(Census.group(group)).singleElement().matches(ProcessEntry::isZombie);
    assertThat(Signals.killGroup(group, Signals.PROBE)).as("signal 0 to the zombies").isZero();
    if (containment == Containment.GROUP) {
      child.treeGone().get(20, SECONDS);
      assertThat(census.live()).as("the parent that does not reap").hasSize(1);
      Files.writeString(release, "go");
    } else {
      child.stop();
      assertThat(child.treeGone()).isDone();
    }
    census.awaitGone(SOON);
  }

  private Path fifo(String name) throws IOException, InterruptedException {
    Path fifo = dir.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    return fifo;
  }

  @Test
  void e8_groupWithoutMembers_treeIsGoneAtTheLeadersExit(ExecScope scope) throws Exception {
    ChildProcess child = scope.spawn(Command.of("true").containment(Containment.GROUP));
    child.treeGone().get(20, SECONDS);
    assertThat(scope.awaitProcesses(SOON)).isTrue();
  }

  @Test
  void e10_leaderExit_isReportedWhileDescendantHoldsStdout(ExecScope scope, Marker marker)
      throws Exception {
    Clock clock = Clock.start();
    ChildProcess child = scope.spawn(sh(marker, "(sleep 30 &); echo partial; exit 1"));
    assertThat(child.exited().get(20, SECONDS)).isEqualTo(exited(1));
    assertThat(clock.elapsed()).isLessThan(Duration.ofSeconds(5));
    assertThat(child.outputDrained().get(20, SECONDS)).as("read to its end").isFalse();
    assertThat(child.treeGone()).isNotDone();

    Result result = child.join();
    assertThat(clock.elapsed()).isLessThan(LONG_BEFORE_THE_HOLDER_ENDS);
    assertThat(result.stdout()).isEqualTo("partial\n");
    assertThat(result.complete()).isFalse();
    assertThat(result.cause()).isEqualTo(Cause.SELF);
    assertThat(Census.of(marker).live()).as("the holder of stdout").hasSize(1);
  }

  @Test
  void e10_descendantWritesOnAndOn_drainEndsAtItsCap(ExecScope scope, Marker marker)
      throws Exception {
    ChildProcess child =
        scope.spawn(sh(marker, "(while :; do echo x; sleep .05; done) & echo first; exit 3"));
    child.exited().get(20, SECONDS);
    Clock sinceExit = Clock.start();
    assertThat(child.outputDrained()).as("told apart from the exit").isNotDone();
    Result result = child.join();
    assertThat(sinceExit.elapsed()).isBetween(Duration.ofSeconds(1), LONG_BEFORE_THE_HOLDER_ENDS);
    assertThat(result.status()).isEqualTo(exited(3));
    assertThat(result.complete()).isFalse();
    assertThat(result.stdoutLines()).contains("first", "x");
  }

  @Test
  void pipe01_helperHoldsThePipe_exitAndTextAreThere(ExecScope scope, Marker marker)
      throws Exception {
    Clock clock = Clock.start();
    Result result = scope.run(sh(marker, "sleep 30 & sleep .3; echo hi; exit 7"));
    assertThat(clock.elapsed()).isBetween(Duration.ofMillis(300), LONG_BEFORE_THE_HOLDER_ENDS);
    assertThat(result.status()).isEqualTo(exited(7));
    assertThat(result.stdout()).isEqualTo("hi\n");
    assertThat(result.duration()).isLessThan(clock.elapsed());
    assertThat(result.complete()).isFalse();
  }

  @Test
  void pipe03_backgroundServerUnderScopeRun_livesUntilTheScopeCloses(Marker marker, Census census)
      throws Exception {
    try (ExecScope scope = Exec.scope()) {
      Result result = scope.run(sh(marker, "sleep 60 & echo started"));
      assertThat(result.expectSuccess().stdout()).isEqualTo("started\n");
      assertThat(census.live()).hasSize(1);
      assertThat(scope.awaitProcesses(Duration.ofMillis(50))).isFalse();
    }
    census.assertNone();
  }

  @Test
  void pipe03_backgroundServerUnderExecRun_isGoneWhenItReturns(Marker marker, Census census)
      throws Exception {
    Path alive = dir.resolve("alive");
    String script = "sleep 60 & kill -0 $! && echo $! > " + alive + "; echo started";
    Result result = Exec.run(sh(marker, script));
    census.assertNone();
    assertThat(alive).content().as("the server lived").isNotBlank();
    assertThat(result.expectSuccess().stdout()).isEqualTo("started\n");
  }

  @Test
  void pipe05_timeoutWhileTheShellWaitsForItsHelper_bounded(ExecScope scope, Marker marker)
      throws Exception {
    Clock clock = Clock.start();
    Result result = scope.run(sh(marker, "sleep 60 & wait").timeout(Duration.ofSeconds(1)));
    assertThat(clock.elapsed()).isBetween(Duration.ofSeconds(1), LONG_BEFORE_THE_HOLDER_ENDS);
    assertThat(result.cause()).isEqualTo(Cause.TIMEOUT);
    assertThat(result.status()).isEqualTo(new ExitStatus.Signaled(Signal.TERM, false));
    assertThat(scope.awaitProcesses(SOON)).isTrue();
  }

  @Test
  void pipe08_helperHoldsThePipePastTheTimeout_exitedAndCut(ExecScope scope, Marker marker)
      throws Exception {
    String chatter = "(while :; do echo x; sleep .05; done) & exit 0";
    ChildProcess child = scope.spawn(sh(marker, chatter).timeout(Duration.ofMillis(700)));
    Result result = child.join();
    assertThat(result.status()).isEqualTo(exited(0));
    assertThat(result.cause()).isEqualTo(Cause.SELF);
    assertThat(result.complete()).isFalse();
    assertThat(result.isSuccess()).isTrue();
    assertThat(child.treeGone()).as("what it left behind is not timed out").isNotDone();
  }

  @Test
  void close05_timeoutWithGrandchildOnThePipe_timeoutPlusGrace(
      ExecScope scope, Marker marker, Census census) throws Exception {
    String script = "(trap '' TERM; sleep 60 & wait; sleep 60) & trap '' TERM; sleep 60; :";
    Clock clock = Clock.start();
    ChildProcess child =
        scope.spawn(
            sh(marker, script)
                .timeout(Duration.ofMillis(500))
                .stop(StopPolicy.graceful(Duration.ofMillis(500))));
    Result result = child.join();
    child.treeGone().get(20, SECONDS);
    assertThat(clock.elapsed()).isBetween(Duration.ofSeconds(1), LONG_BEFORE_THE_HOLDER_ENDS);
    assertThat(result.cause()).isEqualTo(Cause.TIMEOUT);
    census.assertNone();
  }

  @Test
  void e17_textOfATermHandler_isDelivered(ExecScope scope, Marker marker) {
    ChildProcess child =
        scope.spawn(
            sh(
                marker,
                "trap 'echo bye; echo sorry >&2; exit 4' TERM; echo up; while :; do sleep .05;"
                    + " done"));
    await().atMost(SOON).until(() -> "up\n".equals(child.tails().stdout()));
    Result result = child.stop();
    assertThat(result.status()).isEqualTo(exited(4));
    assertThat(result.cause()).isEqualTo(Cause.STOPPED);
    assertThat(result.stdout()).isEqualTo("up\nbye\n");
    assertThat(result.stderr()).contains("sorry\n");
    assertThat(result.complete()).isTrue();
  }

  @Test
  void drain05_textBeforeTheStop_isKept(ExecScope scope, Marker marker) {
    ChildProcess child = scope.spawn(sh(marker, "echo one; sleep 30"));
    await().atMost(SOON).until(() -> "one\n".equals(child.tails().stdout()));
    assertThat(child.stop().stdout()).isEqualTo("one\n");
  }

  @Test
  void drain05_textInThePipeBeforeTheKill_isKept(ExecScope scope, Marker marker) throws Exception {
    ChildProcess child =
        scope.spawn(
            sh(marker, "echo one; echo up >&2; sleep 30")
                .stdout(Output.pipe())
                .containment(Containment.GROUP));
    await().atMost(SOON).until(() -> "up\n".equals(child.tails().stderr()));
    assertThat(child.kill().stdout()).isEqualTo("one\n");
  }

  @Test
  void e24_drain03_shortOutput_noByteLost(ExecScope scope) throws Exception {
    int rounds = Profile.times(200, 1_000);
    for (int i = 0; i < rounds; i++) {
      assertThat(scope.run(Command.of("echo", "x")).stdout()).as("run %d", i).isEqualTo("x\n");
      ChildProcess child = scope.spawn(Command.of("echo", "x").stdout(Output.pipe()));
      if (i % 2 == 0) {
        child.treeGone().get(20, SECONDS);
      }
      assertThat(child.join().stdout()).as("pipe %d that nobody reads", i).isEqualTo("x\n");
    }
  }

  @Test
  void e24_outputOfADescendantAfterTheExit_isDelivered(ExecScope scope, Marker marker)
      throws Exception {
    String late = "(while kill -0 $$ 2>/dev/null; do :; done; echo late) & echo early";
    for (int i = 0; i < Profile.times(5, 50); i++) {
      Result result = scope.run(sh(marker, late));
      assertThat(result.stdout()).isEqualTo("early\nlate\n");
      assertThat(result.complete()).isTrue();
    }
  }

  @Test
  void drain02_manyLinesUnderLoad_allThere(ExecScope scope) throws Exception {
    try (CpuStress load = CpuStress.start(2)) {
      for (int i = 0; i < Profile.times(40, 200); i++) {
        Result result = scope.run(Command.of("seq", "1", "5000"));
        assertThat(result.stdoutLines()).as("run %d", i).hasSize(5_000).endsWith("4999", "5000");
        assertThat(result.complete()).isTrue();
      }
      assertThat(load).isNotNull();
    }
  }

  @Test
  void timeout_countsFromTheStartOfTheProcess_withoutAnybodyWaiting(ExecScope scope, Marker marker)
      throws Exception {
    ChildProcess child = scope.spawn(sh(marker, "sleep 30; :").timeout(Duration.ofMillis(300)));
    child.treeGone().get(20, SECONDS);
    Clock clock = Clock.start();
    Result result = child.join();
    assertThat(clock.elapsed()).isLessThan(Duration.ofSeconds(2));
    assertThat(result.cause()).isEqualTo(Cause.TIMEOUT);
    assertThat(result.duration()).isGreaterThanOrEqualTo(Duration.ofMillis(300));
  }
}
