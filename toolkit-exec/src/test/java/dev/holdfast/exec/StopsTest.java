package dev.holdfast.exec;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import dev.holdfast.testkit.VictimJvm;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Stop policies, from the first step to KILL. */
class StopsTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration GRACE = Duration.ofMillis(500);

  /** More than any grace and any scheduling here takes, less than what would be a hang. */
  private static final Duration BOUND = Duration.ofSeconds(15);

  private static final ExitStatus KILLED = new ExitStatus.Signaled(Signal.KILL, false);
  private static final ExitStatus TERMINATED = new ExitStatus.Signaled(Signal.TERM, false);

  @TempDir private Path dir;
  private Bystander bystander;

  @BeforeEach
  void startBystander() {
    bystander = Bystander.start();
  }

  @AfterEach
  void bystanderIsUnharmed() {
    try (Bystander innocent = bystander) {
      innocent.assertUnharmed();
    }
  }

  private static ChildProcess spawn(
      ExecScope scope, Marker marker, StopPolicy stop, String... does) {
    return spawn(scope, Command.of(Fixture.command(marker, does)).stop(stop));
  }

  /** Returns when it has printed "ready". */
  private static ChildProcess spawn(ExecScope scope, Command command) {
    ChildProcess child = scope.spawn(command);
    await().atMost(SOON).until(() -> String.valueOf(child.tails().stdout()).contains("ready"));
    return child;
  }

  private List<String> log(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .map(line -> line.substring(0, line.indexOf(' ')))
        .toList();
  }

  /** A leader and a member, one or both deaf to TERM. */
  private enum Deaf {
    NOBODY("", ""),
    LEADER("ignore TERM", ""),
    MEMBER("", "ignore TERM"),
    BOTH("ignore TERM", "ignore TERM");

    private final String script;

    Deaf(String leader, String member) {
      script = leader + " start [ " + member + " up forever ] say ready forever";
    }

    String[] words() {
      return script.strip().split(" +", -1);
    }

    boolean leader() {
      return this == LEADER || this == BOTH;
    }
  }

  @ParameterizedTest
  @EnumSource(Deaf.class)
  void e20_graceful_obeysTermOrGetsKill(Deaf deaf, ExecScope scope, Marker marker, Census census)
      throws Exception {
    Duration grace = deaf == Deaf.NOBODY ? Duration.ofSeconds(30) : GRACE;
    ChildProcess child = spawn(scope, marker, StopPolicy.graceful(grace), deaf.words());
    assertThat(census.live()).hasSize(2);
    Clock clock = Clock.start();
    Result result = child.stop();
    census.assertNone();
    assertThat(result.status()).isEqualTo(deaf.leader() ? KILLED : TERMINATED);
    assertThat(result.cause()).isEqualTo(Cause.STOPPED);
    assertThat(clock.elapsed()).isBetween(deaf == Deaf.NOBODY ? Duration.ZERO : GRACE, BOUND);
  }

  @ParameterizedTest
  @EnumSource(Deaf.class)
  void e20_forced_killsAtOnce(Deaf deaf, ExecScope scope, Marker marker, Census census)
      throws Exception {
    ChildProcess child = spawn(scope, marker, StopPolicy.kill(), deaf.words());
    Result result = child.stop();
    census.assertNone();
    assertThat(result.status()).isEqualTo(KILLED);
  }

  static Stream<StopPolicy> brokenSteps() {
    Duration pause = Duration.ofMillis(200);
    return Stream.of(
        StopPolicy.steps()
            .run(
                "throws",
                () -> {
                  throw new IllegalStateException("broken step");
                })
            .await(pause),
        StopPolicy.steps()
            .run(
                "throws an Error",
                () -> {
                  throw new AssertionError("broken step");
                }),
        StopPolicy.steps().run("hangs", StopsTest::hang).await(pause),
        StopPolicy.steps().run("hangs", StopsTest::hang).run("hangs too", StopsTest::hang));
  }

  private static void hang() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @MethodSource("brokenSteps")
  void e20_customStepThatThrowsOrHangs_endsInForce(
      StopPolicy policy, ExecScope scope, Marker marker, Census census) throws Exception {
    ChildProcess child = spawn(scope, marker, policy, Deaf.BOTH.words());
    Clock clock = Clock.start();
    try (ErrorLog log = ErrorLog.open()) {
      Result result = child.stop();
      census.assertNone();
      assertThat(clock.elapsed()).isLessThan(BOUND);
      assertThat(result.status()).isEqualTo(KILLED);
      if (policy.toString().contains("throws")) {
        await()
            .atMost(SOON)
            .untilAsserted(() -> assertThat(log.text()).contains("WARN").contains("broken step"));
      }
    }
  }

  @Test
  void e20_customStep_isStartedAndInterruptedWhenTheTreeIsGone(
      ExecScope scope, Marker marker, Census census) throws Exception {
    CompletableFuture<String> ended = new CompletableFuture<>();
    AtomicReference<Thread> ran = new AtomicReference<>();
    StopPolicy policy =
        StopPolicy.steps()
            .run(
                "waits for ever",
                () -> {
                  ran.set(Thread.currentThread());
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    ended.complete("interrupted with " + census.live().size() + " left");
                  }
                })
            .signal(Signal.TERM)
            .await(Duration.ofSeconds(30));
    ChildProcess child = spawn(scope, marker, policy, "say", "ready", "forever");
    Result result = child.stop();
    assertThat(result.status()).isEqualTo(TERMINATED);
    assertThat(ended.get(20, SECONDS)).isEqualTo("interrupted with 0 left");
    assertThat(ran.get().isVirtual()).isTrue();
    assertThat(ran.get().getName()).contains("waits for ever");
  }

  @Test
  void e20_customStep_mayEndTheTreeItself(ExecScope scope, Marker marker) throws Exception {
    AtomicReference<ChildProcess> self = new AtomicReference<>();
    StopPolicy policy =
        StopPolicy.steps()
            .run("usr1", () -> assertThat(self.get().signal(Signal.USR1)).isTrue())
            .await(Duration.ofSeconds(30));
    ChildProcess child =
        scope.spawn(
            Command.of(
                    Fixture.command(
                        marker,
                        "trap",
                        "USR1",
                        "[",
                        "say",
                        "logged off",
                        "exit",
                        "7",
                        "]",
                        "say",
                        "ready",
                        "forever"))
                .stop(policy));
    self.set(child);
    await().atMost(SOON).until(() -> "ready\n".equals(child.tails().stdout()));
    Result result = child.stop();
    assertThat(result.status()).isEqualTo(new ExitStatus.Exited(7));
    assertThat(result.stdout()).isEqualTo("ready\nlogged off\n");
  }

  @Test
  void e20_write_reachesAPipeOfTheCallers(ExecScope scope, Marker marker) throws Exception {
    StopPolicy policy = StopPolicy.steps().write("q\n").await(Duration.ofSeconds(30));
    Command asks = Command.of(Fixture.command(marker, "say", "ready", "readline", "exit", "3"));
    ChildProcess child = spawn(scope, asks.stdin(Input.pipe()).stop(policy));
    Result result = child.stop();
    assertThat(result.status()).isEqualTo(new ExitStatus.Exited(3));
    assertThat(result.stdout()).isEqualTo("ready\nline q\n");
  }

  @Test
  void e20_write_moreThanOneBufferArrives(ExecScope scope, Marker marker) throws Exception {
    byte[] text = new byte[40_000];
    StopPolicy policy = StopPolicy.steps().write(text).closeStdin().await(Duration.ofSeconds(30));
    Command reads = Command.of(Fixture.command(marker, "say", "ready", "read"));
    ChildProcess child = spawn(scope, reads.stdin(Input.pipe()).stop(policy));
    assertThat(child.stop().stdout()).isEqualTo("ready\nread 40000\n");
  }

  @Test
  void e20_write_withoutAPipeOfTheCallers_isPassedOver(ExecScope scope, Marker marker)
      throws Exception {
    StopPolicy policy = StopPolicy.steps().write("q\n").signal(Signal.TERM).await(GRACE);
    ChildProcess child = spawn(scope, marker, policy, "say", "ready", "forever");
    assertThat(child.stop().status()).isEqualTo(TERMINATED);
  }

  @Test
  void e20_write_whileAnotherThreadWrites_spoilsNothing(ExecScope scope, Marker marker)
      throws Exception {
    CountDownLatch passed = new CountDownLatch(1);
    StopPolicy policy =
        StopPolicy.steps().write("QQQQ").run("mark", passed::countDown).await(SOON).closeStdin();
    Path go = dir.resolve("go");
    ChildProcess child =
        spawn(
            scope,
            Command.of(
                    Fixture.shell(
                        marker,
                        "echo ready; while ! [ -e \"$1\" ]; do sleep .02; done; cat",
                        go.toString()))
                .stdin(Input.pipe())
                .stdout(Output.capture())
                .stop(policy));
    byte[] much = new byte[200_000];
    Arrays.fill(much, (byte) 'x');
    CompletableFuture<String> written = new CompletableFuture<>();
    Thread writer =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    OutputStream stdin = child.stdin();
                    stdin.write(much);
                    stdin.close();
                    written.complete("all");
                  } catch (IOException e) {
                    written.complete("cut");
                  }
                });
    await().atMost(SOON).until(() -> writer.getState() == Thread.State.WAITING);
    CompletableFuture<Result> stopped = CompletableFuture.supplyAsync(child::stop);
    assertThat(passed.await(20, SECONDS)).isTrue();
    Files.createFile(go);
    Result result = stopped.get(30, SECONDS);
    assertThat(written.get(20, SECONDS)).isEqualTo("all");
    assertThat(result.stdout()).isEqualTo("ready\n" + "x".repeat(much.length));
  }

  @ParameterizedTest
  @MethodSource("fedInputs")
  void e20_closeStdin_endsAFilter(Input input, ExecScope scope, Marker marker) throws Exception {
    StopPolicy policy = StopPolicy.steps().closeStdin().await(Duration.ofSeconds(30));
    Command filter =
        Command.of(Fixture.shell(marker, "echo ready; cat >/dev/null; echo done; exit 4"));
    ChildProcess child = spawn(scope, filter.stdin(input).stop(policy));
    Result result = child.stop();
    assertThat(result.status()).isEqualTo(new ExitStatus.Exited(4));
    assertThat(result.stdout()).isEqualTo("ready\ndone\n");
  }

  static Stream<Input> fedInputs() {
    return Stream.of(
        Input.pipe(),
        Input.from(
            new java.io.InputStream() {
              @Override
              public int read() throws IOException {
                hang();
                throw new IOException("interrupted");
              }

              @Override
              public int read(byte[] target, int offset, int length) throws IOException {
                return read();
              }
            }));
  }

  @Test
  void e20_waitForEver_endsWithTheTree(ExecScope scope, Marker marker, Census census)
      throws Exception {
    StopPolicy policy =
        StopPolicy.steps().signal(Signal.TERM).await(ChronoUnit.FOREVER.getDuration());
    ChildProcess child = spawn(scope, marker, policy, Deaf.NOBODY.words());
    CompletableFuture<Result> stopped = CompletableFuture.supplyAsync(child::stop);
    assertThat(stopped.get(20, SECONDS).status()).isEqualTo(TERMINATED);
    census.assertNone();
  }

  @Test
  void e20_stoppedMembers_getContAfterTerm(ExecScope scope, Marker marker, Census census)
      throws Exception {
    Path log = dir.resolve("log");
    ChildProcess child =
        spawn(
            scope,
            marker,
            StopPolicy.graceful(Duration.ofSeconds(30)),
            "ignore",
            "TERM", // a leader that ends first would leave an orphaned group: SIGHUP, setpgid(2)
            "start",
            "[",
            "trap",
            "TERM",
            "[",
            "append",
            log.toString(),
            "termed\n",
            "exit",
            "0",
            "]",
            "say",
            "ready",
            "up",
            "stop",
            "forever",
            "]",
            "wait",
            "exit",
            "0");
    await().atMost(SOON).until(() -> census.live().stream().anyMatch(ProcessEntry::isStopped));
    child.stop();
    census.assertNone();
    assertThat(log).hasContent("termed\n");
  }

  @Test
  void sig01_termIgnored_killAfterTheGrace(ExecScope scope, Marker marker) {
    ChildProcess child =
        spawn(
            scope,
            Command.of(Fixture.shell(marker, "trap '' TERM; echo ready; while :; do sleep 1; done"))
                .stop(StopPolicy.graceful(GRACE)));
    Clock clock = Clock.start();
    assertThat(child.stop().status()).isEqualTo(KILLED);
    assertThat(clock.elapsed()).isBetween(GRACE, BOUND);
  }

  @Test
  void sig02_leaderSurvivesTheStopThatItCaught_isKilledAllTheSame(
      ExecScope scope, Marker marker, Census census) throws Exception {
    Path log = dir.resolve("log");
    ChildProcess child =
        spawn(
            scope,
            marker,
            StopPolicy.graceful(GRACE),
            "log",
            log.toString(),
            "[",
            "TERM",
            "]",
            "say",
            "ready",
            "repeat",
            "1000",
            "[",
            "sleep",
            "1",
            "]");
    assertThat(child.stop().status()).isEqualTo(KILLED);
    assertThat(log(log)).as("signals that it caught").containsExactly("TERM");
    census.assertNone();
  }

  @Test
  void sig04_killDuringAStop_killsAtOnce(ExecScope scope, Marker marker) throws Exception {
    Path log = dir.resolve("log");
    ChildProcess child =
        spawn(
            scope,
            marker,
            StopPolicy.graceful(Duration.ofMinutes(5)),
            "log",
            log.toString(),
            "[",
            "TERM",
            "]",
            "say",
            "ready",
            "repeat",
            "1000",
            "[",
            "sleep",
            "1",
            "]");
    CompletableFuture<Result> stopped = CompletableFuture.supplyAsync(child::stop);
    await().atMost(SOON).until(() -> log(log).contains("TERM"));
    assertThat(stopped).isNotDone();
    Result killed = child.kill();
    assertThat(killed.status()).isEqualTo(KILLED);
    assertThat(stopped.get(20, SECONDS).status()).isEqualTo(KILLED);
  }

  @Test
  void sig05_graceOfOneSecond_isOneSecond(ExecScope scope, Marker marker) throws Exception {
    Duration second = Duration.ofSeconds(1);
    StopPolicy stop = StopPolicy.graceful(second);
    Duration best = BOUND;
    for (int i = 0; i < 3 && best.compareTo(Duration.ofMillis(1_500)) > 0; i++) {
      ChildProcess child = spawn(scope, marker, stop, "ignore", "TERM", "say", "ready", "forever");
      Clock clock = Clock.start();
      child.stop();
      Duration took = clock.elapsed();
      assertThat(took).isGreaterThanOrEqualTo(second);
      best = took.compareTo(best) < 0 ? took : best;
    }
    assertThat(best).as("the best of three").isLessThan(Duration.ofMillis(1_900));
  }

  @Test
  void sig08_ladderOfIntOnly_endsInKill(ExecScope scope, Marker marker, Census census)
      throws Exception {
    ChildProcess child =
        spawn(
            scope,
            Command.of(Fixture.shell(marker, "sleep 60 & echo ready; wait"))
                .stop(StopPolicy.steps().signal(Signal.INT).await(Duration.ofMillis(500))));
    Clock clock = Clock.start();
    child.stop();
    census.assertNone();
    assertThat(clock.elapsed()).isLessThan(BOUND);
  }

  /** In a JVM that has inherited signals ignored and blocked. */
  @Test
  void sig09_dispositionsOfAChild_areTheDefaults() {
    try (VictimJvm victim =
        VictimJvm.builder(ShowsSignals.class)
            .under("env", "--ignore-signal=USR2,PIPE,WINCH", "--block-signal=HUP,CONT")
            .start()) {
      assertThat(victim.await("jvm SigIgn")).doesNotEndWith("0000000000000000");
      assertThat(victim.await("jvm SigBlk")).doesNotEndWith("0000000000000000");
      for (String mask : ShowsSignals.MASKS) {
        assertThat(victim.await("child " + mask))
            .isEqualTo("child " + mask + ":\t0000000000000000");
      }
    }
  }

  /** Prints its own masks of signals, and those of a child. */
  static final class ShowsSignals {
    static final List<String> MASKS = List.of("SigBlk", "SigIgn", "SigCgt");

    private ShowsSignals() {}

    public static void main(String[] args) throws Exception {
      print("jvm ", Files.readAllLines(Path.of("/proc/thread-self/status")), List.of("SigIgn"));
      print("jvm ", Files.readAllLines(Path.of("/proc/thread-self/status")), List.of("SigBlk"));
      print("child ", Exec.run("cat", "/proc/self/status").expectSuccess().stdoutLines(), MASKS);
    }

    private static void print(String whose, List<String> status, List<String> masks) {
      for (String mask : masks) {
        status.stream()
            .filter(line -> line.startsWith(mask))
            .forEach(line -> System.out.println(whose + line));
      }
    }
  }

  @Test
  void stop_ofTwoCallers_isOneStop(ExecScope scope, Marker marker) throws Exception {
    Path log = dir.resolve("log");
    ChildProcess child =
        spawn(
            scope,
            marker,
            StopPolicy.graceful(GRACE),
            "log",
            log.toString(),
            "[",
            "TERM",
            "]",
            "say",
            "ready",
            "repeat",
            "1000",
            "[",
            "sleep",
            "1",
            "]");
    CompletableFuture<Result> first = CompletableFuture.supplyAsync(child::stop);
    CompletableFuture<Result> second = CompletableFuture.supplyAsync(child::stop);
    assertThat(first.get(20, SECONDS).status()).isEqualTo(KILLED);
    assertThat(second.get(20, SECONDS).status()).isEqualTo(KILLED);
    assertThat(log(log)).containsExactly("TERM");
  }

  @Test
  void exit03_scopeClosesOnASleeper_causeIsClosed(Marker marker, Census census) {
    CompletableFuture<ExitStatus> exited;
    ChildProcess child;
    try (ExecScope scope = Exec.scope()) {
      child = scope.spawn(Command.of(Fixture.program(marker, "sleep", "60")));
      exited = child.exited();
    }
    census.assertNone();
    assertThat(exited.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(TERMINATED);
    Result result = child.stop();
    assertThat(result.cause()).isEqualTo(Cause.CLOSED);
  }
}
