package dev.holdfast.exec;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.exec.ExecException.Reason;
import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Gate;
import dev.holdfast.testkit.HaltInjector;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import dev.holdfast.testkit.VictimJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a child has ended, and who caused it. */
class StatusTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path dir;

  private static Command sh(Marker marker, String script) {
    return Command.of(Fixture.shell(marker, script));
  }

  private static ExitStatus exited(int code) {
    return new ExitStatus.Exited(code);
  }

  private static ExitStatus signaled(Signal signal) {
    return new ExitStatus.Signaled(signal, false);
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        Arguments.of("exit 0", exited(0), true),
        Arguments.of("exit 1", exited(1), false),
        Arguments.of("exit 127", exited(127), false),
        Arguments.of("exit 137", exited(137), false),
        Arguments.of("exit 255", exited(255), false),
        Arguments.of("kill -KILL $$", signaled(Signal.KILL), false),
        Arguments.of("kill -TERM $$", signaled(Signal.TERM), false),
        Arguments.of("kill -HUP $$", signaled(Signal.HUP), false),
        Arguments.of("kill -USR1 $$", signaled(Signal.USR1), false),
        Arguments.of("ulimit -c 0; kill -SEGV $$", signaled(Signal.SEGV), false));
  }

  @ParameterizedTest
  @MethodSource("ends")
  void e13_anyStatus_isReturnedByRunAndJoin_andJudgedByExpectSuccess(
      String script, ExitStatus status, boolean success, ExecScope scope, Marker marker)
      throws Exception {
    Result run = scope.run(sh(marker, "echo said; " + script));
    Result joined = scope.spawn(sh(marker, "echo said; " + script)).join();
    for (Result result : List.of(run, joined)) {
      assertThat(result.status()).isEqualTo(status);
      assertThat(result.cause()).isEqualTo(Cause.SELF);
      assertThat(result.isSuccess()).isEqualTo(success);
      if (success) {
        assertThat(result.expectSuccess()).isSameAs(result);
      } else {
        assertThatExceptionOfType(ExecException.class)
            .isThrownBy(result::expectSuccess)
            .withMessageContaining("said")
            .satisfies(
                e -> {
                  assertThat(e.reason()).isEqualTo(Reason.UNSUCCESSFUL);
                  assertThat(e.result()).isSameAs(result);
                });
      }
    }
  }

  @Test
  void e13_exitCodesOfTheCommand_areItsSuccess(ExecScope scope, Marker marker) throws Exception {
    Command command = sh(marker, "exit 3").exitCodes(0, 3);
    assertThatCode(() -> scope.run(command).expectSuccess()).doesNotThrowAnyException();
    Result other = scope.run(sh(marker, "exit 4").exitCodes(0, 3));
    assertThatExceptionOfType(ExecException.class).isThrownBy(other::expectSuccess);
  }

  @Test
  void e13_timeout_isAResultAndNoSuccess(ExecScope scope, Marker marker) throws Exception {
    Result result =
        scope.run(
            sh(marker, "trap 'exit 0' TERM; while :; do sleep .05; done")
                .timeout(Duration.ofMillis(300)));
    assertThat(result.cause()).isEqualTo(Cause.TIMEOUT);
    assertThatExceptionOfType(ExecException.class).isThrownBy(result::expectSuccess);
  }

  @Test
  void exit01_killed_isNoSuccess(ExecScope scope, Marker marker) throws Exception {
    Result result = scope.run(sh(marker, "kill -9 $$"));
    assertThat(result.status()).isEqualTo(signaled(Signal.KILL));
    assertThat(result.isSuccess()).isFalse();
  }

  @Test
  void exit02_exit137_isToldApartFromKill(ExecScope scope, Marker marker) throws Exception {
    ExitStatus exited = scope.run(sh(marker, "exit 137")).status();
    ExitStatus killed = scope.run(sh(marker, "kill -9 $$")).status();
    assertThat(exited).isEqualTo(exited(137)).isNotEqualTo(killed);
  }

  @Test
  void e15_arguments_areLiteral(ExecScope scope, Marker marker) throws Exception {
    List<String> words =
        List.of(
            "", " ", "a b", "*", "$HOME", "`id`", "$(id)", "'", "\"", "\\", ";", "&", "|", ">x",
            "~", "#", "{a,b}", "-", "--", "\t", "ä€😀");
    List<String> shown =
        scope
            .run(
                Command.of(Fixture.command(marker, "show", "args"))
                    .args(words.toArray(String[]::new))
                    .cwd(dir))
            .expectSuccess()
            .stdoutLines();
    assertThat(shown).isEqualTo(words);
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void e15_shell_onlyWhenAskedFor(ExecScope scope) throws Exception {
    assertThat(scope.run(Command.shell("echo $((1 + 1)) | tr 2 3")).stdout()).isEqualTo("3\n");
    assertThat(scope.run(Command.of("echo", "$((1 + 1)) | tr 2 3")).stdout())
        .isEqualTo("$((1 + 1)) | tr 2 3\n");
    assertThatExceptionOfType(ExecException.class)
        .isThrownBy(() -> scope.run(Command.of("echo 1 | cat")))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.NOT_FOUND));
  }

  @Test
  void exit06_leaderEndsItsMainThread_livesUntilTheLastThread(
      ExecScope scope, Marker marker, Census census) throws Exception {
    String seconds = String.valueOf(Profile.times(1, 3));
    ChildProcess child =
        scope.spawn(Command.of(Fixture.command(marker, "say", "up", "endleader", seconds, "42")));
    await()
        .atMost(SOON)
        .until(() -> Census.process(child.pid()).map(ProcessEntry::state).orElse('?') == 'Z');
    assertThat(child.isAlive()).as("a zombie leader with a living thread").isTrue();
    assertThat(child.exited()).isNotDone();
    Result result = child.join();
    assertThat(result.status()).isEqualTo(exited(42));
    assertThat(result.duration())
        .isGreaterThanOrEqualTo(Duration.ofSeconds(Long.parseLong(seconds)));
    census.awaitGone(SOON);
  }

  @ParameterizedTest
  @ValueSource(strings = {"env", "perl"})
  void exit05_jvmStartedWithSigchldIgnored_statusIsKnown(String wrapper) {
    String[] under =
        wrapper.equals("env")
            ? new String[] {"env", "--ignore-signal=CHLD"}
            : new String[] {"perl", "-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV", "--"};
    try (VictimJvm victim = VictimJvm.builder(IgnoresSigchld.class).under(under).start()) {
      assertThat(victim.await("ignored")).isEqualTo("ignored true");
      assertThat(victim.await("run")).isEqualTo("run Exited(7)");
      assertThat(victim.await("spawn")).isEqualTo("spawn Exited(8)");
      assertThat(victim.await("gone")).isEqualTo("gone true");
    }
  }

  /** Runs children in a JVM that has inherited SIGCHLD ignored. */
  static final class IgnoresSigchld {
    private static final int SIGCHLD = 17;

    private IgnoresSigchld() {}

    public static void main(String[] args) throws Exception {
      System.out.println("ignored " + isIgnored());
      try (ExecScope scope = Exec.scope()) {
        System.out.println("run " + scope.run(Command.shell("exit 7")).status());
        ChildProcess child = scope.spawn(Command.shell("sleep .2; exit 8"));
        System.out.println("spawn " + child.join().status());
        System.out.println("gone " + scope.awaitProcesses(SOON));
      }
      System.in.read();
    }

    private static boolean isIgnored() throws IOException {
      String mask =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith("SigIgn:"))
              .findFirst()
              .orElseThrow()
              .substring("SigIgn:".length())
              .strip();
      return (Long.parseUnsignedLong(mask, 16) >> (SIGCHLD - 1) & 1) == 1;
    }
  }

  @Test
  void exit07_tracedChildWhoseTracerSleeps_isNeverReadAsExit0(ExecScope scope, Marker marker)
      throws Exception {
    ChildProcess child = scope.spawn(Command.of(Fixture.command(marker, "say", "up", "forever")));
    await().atMost(SOON).until(() -> "up\n".equals(child.tails().stdout()));
    Process tracer = trace(child.pid());
    try {
      signal("STOP", tracer.pid());
      await()
          .atMost(SOON)
          .until(() -> Census.process(tracer.pid()).map(ProcessEntry::isStopped).orElse(false));
      signal("KILL", child.pid());
      await().atMost(SOON).until(() -> isOneOf("tZ", child.pid()));
      assertThat(child.join(Duration.ofMillis(300))).as("before the tracer let it go").isEmpty();
      assertThat(child.exited()).isNotDone();
      signal("CONT", tracer.pid());
      assertThat(child.exited().get(20, SECONDS)).isEqualTo(signaled(Signal.KILL));
    } finally {
      tracer.destroyForcibly().waitFor();
    }
  }

  private static boolean isOneOf(String states, long pid) {
    return Census.process(pid).map(entry -> states.indexOf(entry.state()) >= 0).orElse(false);
  }

  /** Attaches itself, lets the process run, and doesn't look at it before it is told to. */
  private static final String SLEEPING_TRACER =
      """
      import ctypes, os, sys
      pid = int(sys.argv[1])
      ptrace = ctypes.CDLL(None, use_errno=True).ptrace
      ptrace.argtypes = [ctypes.c_long] * 4
      attach, cont = 16, 7
      if ptrace(attach, pid, 0, 0) != 0:
          sys.exit("ptrace: errno %d" % ctypes.get_errno())
      os.waitpid(pid, 0x40000000)
      ptrace(cont, pid, 0, 0)
      print("attached", flush=True)
      sys.stdin.readline()
      os.waitpid(pid, 0x40000000)
      """;

  @Test
  void exit07_zombieThatATracerHasNotSeen_isNeverReadAsExit0(ExecScope scope, Marker marker)
      throws Exception {
    Path go = dir.resolve("go");
    ChildProcess child =
        scope.spawn(
            Command.of(
                Fixture.shell(
                    marker,
                    "while ! [ -e \"$1\" ]; do read x <\"$2\"; done; exit 9",
                    go.toString(),
                    fifo("wake").toString())));
    String python = Fixture.command(marker).getFirst();
    Process tracer =
        new ProcessBuilder(python, "-c", SLEEPING_TRACER, String.valueOf(child.pid()))
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(tracer.inputReader().readLine()).isEqualTo("attached");
      Files.createFile(go);
      Files.writeString(dir.resolve("wake"), "up\n");
      await().atMost(SOON).until(() -> isOneOf("Z", child.pid()));
      assertThat(child.join(Duration.ofMillis(300))).as("before the tracer let it go").isEmpty();
      assertThat(child.isAlive()).isTrue();
      tracer.outputWriter().append("go\n").flush();
      assertThat(child.join().status()).isEqualTo(exited(9));
    } finally {
      tracer.destroyForcibly().waitFor();
    }
  }

  private Path fifo(String name) throws Exception {
    Path fifo = dir.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    return fifo;
  }

  /** Returns when strace has attached itself. */
  private Process trace(long pid) throws IOException {
    assertThat(Stream.of(System.getenv("PATH").split(":")).map(d -> Path.of(d, "strace")))
        .as("strace, which this test needs; build/install-test-tools installs it")
        .anyMatch(Files::isExecutable);
    Process tracer =
        new ProcessBuilder("strace", "-f", "-o", dir.resolve("trace").toString(), "-p", "" + pid)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("strace-says").toFile())
            .start();
    await()
        .atMost(SOON)
        .until(
            () ->
                Files.readAllLines(Path.of("/proc/" + pid + "/status"))
                    .contains("TracerPid:\t" + tracer.pid()));
    return tracer;
  }

  private static void signal(String name, long pid) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start();
    assertThat(kill.waitFor()).as("kill -%s %d", name, pid).isZero();
  }

  @Test
  void pipe08_reactorIsLate_whoEndedInTimeIsNotTimedOut(ExecScope scope, Marker marker)
      throws Exception {
    Path go = dir.resolve("go");
    Duration timeout = Duration.ofSeconds(2);
    ChildProcess other = scope.spawn(sh(marker, "sleep 60; :"));
    Clock clock = Clock.start();
    ChildProcess child =
        scope.spawn(
            Command.of(
                    Fixture.shell(
                        marker, "while ! [ -e \"$1\" ]; do sleep .02; done", go.toString()))
                .timeout(timeout));
    try (Gate gate = new Gate();
        HaltInjector injector = HaltInjector.at("reactor.step", 1, gate)) {
      other.join(Duration.ZERO); // which makes the reactor look at it
      gate.awaitReached();
      Files.createFile(go);
      await()
          .atMost(SOON)
          .until(() -> Census.process(child.pid()).map(ProcessEntry::isZombie).orElse(false));
      await().atMost(SOON).until(() -> clock.elapsed().compareTo(timeout) > 0);
      gate.open();
      Result result = child.join();
      assertThat(result.status()).isEqualTo(exited(0));
      assertThat(result.cause()).isEqualTo(Cause.SELF);
      assertThat(injector.fired()).isPresent();
    }
    other.kill();
  }
}
