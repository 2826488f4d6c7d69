package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.NativeTap;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.Snapshot;
import dev.holdfast.testkit.Witnessed;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each native call of a spawn or a teardown goes wrong once: by an error number, by an Error. */
@Witnessed(allowedThreads = "holdfast-")
class NativeFaultTest {
  private static final Predicate<Thread> REACTOR =
      thread -> thread.getName().equals("holdfast-reactor");
  private static final Predicate<Thread> SCANNER =
      thread -> thread.getName().equals("holdfast-scanner");
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** The ways in which the streams of a child are wired. */
  enum Wiring {
    PIPES(
        command ->
            command.stdin(Input.pipe()).stdout(Output.pipe()).stderr(Output.tail(4096))),
    USER_CODE(
        command ->
            command
                .stdin(Input.from(new ByteArrayInputStream(new byte[] {'x', '\n'})))
                .stdout(Output.lines(line -> {}))
                .stderr(Output.lines(line -> {}))),
    FILES(
        command ->
            command
                .stdin(Input.file(Path.of("/dev/zero")))
                .stdout(Output.file(Path.of("/dev/null")))
                .mergeStderr()
                .cwd(Path.of("/"))),
    MEMORY(command -> command.stdin(Input.text("some text")).stdout(Output.discard()));

    private final UnaryOperator<Command> change;

    Wiring(UnaryOperator<Command> change) {
      this.change = change;
    }

    Command of(Marker marker) {
      return change.apply(
          Command.shell("trap '' TERM; sleep 600 & sleep 600; :").env(marker.environment()));
    }
  }

  @BeforeAll
  static void warmUp() throws Exception {
    Exec.run("true");
  }

  private static ExecScope scope() {
    return Exec.scope(o -> o.stop(StopPolicy.graceful(Duration.ofMillis(10))));
  }

  private static List<NativeTap.Call> callsOfSpawn(Wiring wiring, Marker marker) {
    Thread me = Thread.currentThread();
    try (var scope = scope();
        var tap = NativeTap.recording(thread -> thread == me)) {
      scope.spawn(wiring.of(marker));
      return tap.calls();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("FD-07, E32: each step of a spawn refused: a typed error, nothing left")
  void fd07_spawnStepRefused_isTypedAndLeavesNothing(Wiring wiring, Marker marker) {
    List<NativeTap.Call> calls = callsOfSpawn(wiring, marker);
    assertThat(calls).extracting(NativeTap.Call::method).contains("posix_spawn", "clone", "pipe2");
    List<String> wrong = new ArrayList<>();
    for (NativeTap.Call call : calls) {
      for (int errno : Refusals.of(call.method())) {
        refuse(wiring, marker, call, errno, wrong);
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void refuse(
      Wiring wiring, Marker marker, NativeTap.Call call, int errno, List<String> wrong) {
    Thread me = Thread.currentThread();
    String what = call + " refused with " + Errno.name(errno) + ": ";
    Snapshot before = Snapshot.take().allowingThreads("holdfast-");
    try (var scope = scope()) {
      ChildProcess sibling = scope.spawn(Shape.SLEEPER.env(marker.environment()));
      try (var tap =
          NativeTap.refusing(
              thread -> thread == me, made -> made.number() == call.number(), errno)) {
        scope.spawn(wiring.of(marker));
        if (tap.struck() != 1) {
          wrong.add(what + "was not made");
        }
      } catch (ExecException e) {
        if (e.getMessage() == null || e.command() == null) {
          wrong.add(what + "says too little: " + e);
        }
      } catch (Throwable t) {
        wrong.add(what + t);
      }
      if (!sibling.isAlive()) {
        wrong.add(what + "the sibling was harmed");
      }
      if (!scope.run(Command.of("true")).status().equals(new ExitStatus.Exited(0))) {
        wrong.add(what + "the scope can't be used on");
      }
    } catch (Throwable t) {
      wrong.add(what + "afterwards " + t);
    }
    requireNothing(what, marker, before, wrong);
  }

  private static void requireNothing(
      String what, Marker marker, Snapshot before, List<String> wrong) {
    var census = Census.of(marker);
    if (!census.isGone()) {
      wrong.add(what + "left " + census.endAll());
    }
    try {
      before.assertNoGrowth();
    } catch (AssertionError e) {
      wrong.add(what + e.getMessage());
    }
  }

  /** Whose calls an Error strikes. */
  enum Struck {
    SPAWNER(thread -> false),
    REACTOR(NativeFaultTest.REACTOR),
    SCANNER(NativeFaultTest.SCANNER);

    private final Predicate<Thread> who;

    Struck(Predicate<Thread> who) {
      this.who = who;
    }

    Predicate<Thread> who() {
      Thread me = Thread.currentThread();
      return this == SPAWNER ? thread -> thread == me : who;
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("E6: an Error before or after any native call: nothing alive, nothing hung")
  void e6_errorAtAnyNativeCall_isCleanedUp(Struck struck, Marker marker) throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Wiring wiring : Wiring.values()) {
      Trial undisturbed = new Trial(wiring, marker);
      List<NativeTap.Call> calls;
      try (var tap = NativeTap.recording(undisturbed.who(struck))) {
        undisturbed.run("undisturbed", wrong);
        calls = tap.calls();
      }
      assertThat(calls).isNotEmpty();
      int step = struck == Struck.SCANNER ? Math.max(1, calls.size() / 15) : 1;
      for (int number = 1; number <= calls.size(); number += step) {
        for (boolean after : new boolean[] {false, true}) {
          throwAt(struck, wiring, marker, number, after, wrong);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void throwAt(
      Struck struck, Wiring wiring, Marker marker, int number, boolean after, List<String> wrong)
      throws Exception {
    long t0 = System.nanoTime();
    Snapshot before = Snapshot.take().allowingThreads("holdfast-");
    Trial trial = new Trial(wiring, marker);
    Predicate<NativeTap.Call> which = call -> call.number() == number;
    try (var tap =
        after
            ? NativeTap.throwingAfter(trial.who(struck), which, () -> new OutOfMemoryError("planned"))
            : NativeTap.throwingBefore(trial.who(struck), which, () -> new OutOfMemoryError("planned"))) {
      String what = struck + " " + wiring + " " + number + (after ? " after" : " before");
      trial.run(what, wrong);
      if (tap.struck() == 1) {
        what += " " + tap.calls().get(number - 1) + ": ";
      }
      requireNothing(what, marker, before, wrong);
      System.out.println("DBG " + what + (System.nanoTime() - t0) / 1000000 + " ms " + (wrong.isEmpty() ? "" : wrong.getLast()));
    }
  }

  /** One spawn on a thread of its own, and the close of its scope. */
  private static final class Trial {
    private final Wiring wiring;
    private final Marker marker;
    private volatile Thread owner;

    Trial(Wiring wiring, Marker marker) {
      this.wiring = wiring;
      this.marker = marker;
    }

    Predicate<Thread> who(Struck struck) {
      return struck == Struck.SPAWNER ? thread -> thread == owner : struck.who;
    }

    void run(String what, List<String> wrong) throws InterruptedException {
      Thread thread =
          Thread.ofPlatform().daemon().name("owner").unstarted(() -> {
            try (var scope = scope()) {
              owner = Thread.currentThread();
              scope.spawn(wiring.of(marker));
              owner = null;
            } catch (OutOfMemoryError e) {
              owner = null;
              if (!"planned".equals(e.getMessage())) {
                wrong.add(what + " " + e);
              }
            } catch (Throwable t) {
              wrong.add(what + " " + t);
            }
          });
      thread.start();
      if (!thread.join(LIMIT)) {
        wrong.add(what + " hung " + java.util.Arrays.toString(thread.getStackTrace()));
      }
    }
  }
}
