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
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each native call of a spawn or a teardown goes wrong once: by an error number, by an Error. */
@Tag("long")
@Witnessed(allowedThreads = "holdfast-")
class NativeFaultTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** How many calls of one thread are struck: the scanner makes some hundred. */
  private static final int MOST_CALLS = 60;

  /** What they have given is lost to an Error that comes right after them. */
  private static final Set<String> GIVES = Set.of("pipe2", "open", "fcntl", "clone", "syscall");

  /** Whether they were made can't be known after an Error, and they must not be made twice. */
  private static final Set<String> CLOSES = Set.of("close", "waitpid");

  /** The ways in which the streams of a child are wired. */
  enum Wiring {
    PIPES(command -> command.stdin(Input.pipe()).stdout(Output.pipe()).stderr(Output.tail(4096))),
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
      List<Integer> all = Refusals.of(call.method());
      List<Integer> some = List.of(all.get(call.number() % all.size()));
      for (int errno : Profile.isLong() ? all : some) {
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
    SPAWNER,
    REACTOR,
    SCANNER;

    boolean is(Thread thread, @Nullable Thread spawner) {
      return switch (this) {
        case SPAWNER -> thread == spawner;
        case REACTOR -> thread.getName().equals("holdfast-reactor");
        case SCANNER -> thread.getName().equals("holdfast-scanner");
      };
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("E6: an Error before or after any native call: nothing alive, nothing hung")
  void e6_errorAtAnyNativeCall_isCleanedUp(Struck struck, Marker marker) throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Wiring wiring : Wiring.values()) {
      OneSpawn undisturbed = new OneSpawn(wiring, marker, struck);
      int calls;
      try (var tap = NativeTap.recording(undisturbed::strikes)) {
        undisturbed.run();
        calls = Math.min(MOST_CALLS, tap.calls().size());
      }
      assertThat(calls).isPositive();
      for (int number = 1; number <= calls; number++) {
        if (isStruck(struck, wiring, number)) {
          throwAt(new OneSpawn(wiring, marker, struck), number, false, wrong);
          throwAt(new OneSpawn(wiring, marker, struck), number, true, wrong);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /**
   * In the short profile each call is struck in one of the wirings; few of the scanner's, alike.
   */
  private static boolean isStruck(Struck struck, Wiring wiring, int number) {
    int every = Profile.times(4, 1) * (struck == Struck.SCANNER ? 4 : 1);
    return number == 1 || (number + wiring.ordinal()) % every == 0;
  }

  private static void throwAt(OneSpawn spawn, int number, boolean after, List<String> wrong)
      throws Exception {
    Snapshot before = Snapshot.take().allowingThreads("holdfast-");
    var leftovers = Leftovers.since();
    Predicate<NativeTap.Call> which = call -> call.number() == number;
    Supplier<OutOfMemoryError> error = () -> new OutOfMemoryError("planned");
    try (var tap =
        after
            ? NativeTap.throwingAfter(spawn::strikes, which, error)
            : NativeTap.throwingBefore(spawn::strikes, which, error)) {
      List<String> found = spawn.run();
      String method = tap.struck() == 0 ? "" : tap.calls().get(number - 1).method();
      var census = Census.of(spawn.marker);
      if (!census.isGone()) {
        found.add("left " + census.endAll());
      }
      if (CLOSES.contains(method) || (after && GIVES.contains(method))) {
        leftovers.giveBack();
      }
      found.addAll(growth(before));
      String what = "%s, %s, %s %s: ".formatted(spawn, method, after ? "after" : "before", number);
      found.forEach(line -> wrong.add(what + line + "\ncalls: " + tap.calls()));
    }
  }

  private static List<String> growth(Snapshot before) {
    try {
      before.assertNoGrowth();
      return List.of();
    } catch (AssertionError e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  /** One spawn on a thread of its own, and the close of its scope. */
  private static final class OneSpawn {
    private final Wiring wiring;
    private final Marker marker;
    private final Struck struck;
    private volatile @Nullable Thread spawning;

    OneSpawn(Wiring wiring, Marker marker, Struck struck) {
      this.wiring = wiring;
      this.marker = marker;
      this.struck = struck;
    }

    boolean strikes(Thread thread) {
      return struck.is(thread, spawning);
    }

    List<String> run() throws InterruptedException {
      List<String> wrong = Collections.synchronizedList(new ArrayList<>());
      Thread thread = Thread.ofPlatform().daemon().name("owner").start(() -> own(wrong));
      if (!thread.join(LIMIT)) {
        wrong.add("hung:\n" + Stacks.all());
      }
      return wrong;
    }

    private void own(List<String> wrong) {
      try (var scope = scope()) {
        spawning = Thread.currentThread();
        try {
          scope.spawn(wiring.of(marker));
        } finally {
          spawning = null;
        }
      } catch (Throwable t) {
        if (!(t instanceof OutOfMemoryError) || !"planned".equals(t.getMessage())) {
          wrong.add(t.toString());
        }
      }
    }

    @Override
    public String toString() {
      return struck + ", " + wiring;
    }
  }
}
