package dev.holdfast.exec.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.FixtureTree;
import dev.holdfast.testkit.FixtureTree.Kind;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.VictimJvmBuilder;
import dev.holdfast.testkit.Witnessed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code holdfast run} in a JVM of its own, looked at from outside. */
@Witnessed
class CliTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  /** How a runner has ended, with all that it and its command have printed. */
  private record Ended(int status, List<String> out, List<String> err) {
    static Ended of(VictimJvm runner) {
      var status = runner.waitStatus(Duration.ofSeconds(60));
      runner.close(); // its output is complete only then
      return new Ended(status, runner.lines(), runner.errorLines());
    }
  }

  private static VictimJvm holdfast(Marker marker, String... args) {
    return prepared(marker, args).start();
  }

  /** Signals that whoever runs the tests ignores would be ignored by the JVM too. */
  private static VictimJvmBuilder prepared(Marker marker, String... args) {
    var builder =
        VictimJvm.builder(Main.class).under("/usr/bin/env", "--default-signal=INT,HUP,TERM");
    marker.environment().forEach(builder::env);
    Arrays.asList(args).forEach(builder::arg);
    return builder;
  }

  private static String[] run(List<String> command, String... options) {
    var args = new ArrayList<>(List.of("run"));
    args.addAll(Arrays.asList(options));
    args.add("--");
    args.addAll(command);
    return args.toArray(String[]::new);
  }

  private static String[] shell(String script, String... options) {
    return run(List.of("sh", "-c", script), options);
  }

  @Test
  void run_passesOnStatusAndStreams_andWritesNothingOfItsOwn(Marker marker) {
    try (var runner = holdfast(marker, shell("read line; echo $line; echo oops >&2; exit 3"))) {
      runner.send("hello");

      assertThat(Ended.of(runner)).isEqualTo(new Ended(3, List.of("hello"), List.of("oops")));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "137 | run -- sh -c kill${IFS}-9${IFS}$$ |",
        "137 | run -- sh -c exit${IFS}137 |",
        "4 | run sh -c exit${IFS}4 --timeout |",
        "127 | run -- no-such-program-here | no-such-program-here",
        "127 | run -- /no/such/program | /no/such/program",
        "126 | run -- /etc/passwd | /etc/passwd",
        "126 | run -- /etc | /etc",
        "125 | run --cwd /no/such/directory -- true | /no/such/directory",
        "124 | run --timeout 300ms --grace 0 -- sleep 60 |"
      })
  void ends_haveTheirStatus(int status, String line, String said, Marker marker) {
    try (var runner = holdfast(marker, line.split(" ", -1))) {
      var ended = Ended.of(runner);

      assertThat(ended.status()).as(runner.output()).isEqualTo(status);
      assertThat(ended.out()).isEmpty();
      if (said == null) {
        assertThat(ended.err()).isEmpty();
      } else {
        assertThat(ended.err()).singleElement().asString().startsWith("holdfast: ").contains(said);
      }
    }
  }

  @Test
  void timeout_is124_alsoWhenTheTrapExitsWithZero(Marker marker) {
    var script = "trap 'echo trapped; exit 0' TERM; sleep 600 & wait";
    try (var runner = holdfast(marker, shell(script, "--timeout", "0.5"))) {
      assertThat(Ended.of(runner)).isEqualTo(new Ended(124, List.of("trapped"), List.of()));
    }
  }

  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
  void o3_signalOfTheRunner_climbsTheLadder_andShowsAsWithoutUs(
      String signal, int status, Marker marker) {
    var script =
        "(trap '' TERM; sleep 600; :) & trap 'echo trapped; exit 0' TERM; echo ready; wait";
    try (var bystander = Bystander.start();
        var runner = holdfast(marker, shell(script, "--grace", "1s"))) {
      runner.await("ready");

      runner.signal(signal);

      assertThat(runner.waitStatus()).as(runner.output()).isEqualTo(status);
      Census.of(marker).assertNone();
      bystander.assertUnharmed();
      assertThat(Ended.of(runner))
          .isEqualTo(new Ended(status, List.of("ready", "trapped"), List.of()));
    }
  }

  @Test
  @Tag("long")
  void o3_graceBeyondTheShutdownBudget_isKept(Marker marker) {
    var script = "trap 'sleep 11; echo trapped; exit 0' TERM; echo ready; sleep 600 & wait";
    try (var runner = holdfast(marker, shell(script, "--grace", "1m"))) {
      runner.await("ready");

      runner.signal("TERM");

      assertThat(Ended.of(runner))
          .isEqualTo(new Ended(143, List.of("ready", "trapped"), List.of()));
    }
  }

  @Test
  void o1_killOfTheRunner_leavesNothing(Marker marker) {
    var tree =
        FixtureTree.of(
            Kind.SLEEPER,
            FixtureTree.of(Kind.TERM_IGNORER),
            FixtureTree.of(Kind.STOPPED),
            FixtureTree.of(Kind.LISTENER),
            FixtureTree.of(Kind.DOUBLE_FORKER, FixtureTree.of(Kind.SHELL)));
    try (var bystander = Bystander.start();
        var runner = holdfast(marker, run(tree.argv(marker)))) {
      runner.await("ready");
      var census = Census.of(marker).except(runner.pid());
      census.awaitLive(tree.lasting(), SOON);

      runner.kill();

      census.awaitGone(SOON);
      assertThat(runner.waitStatus()).isEqualTo(137);
      bystander.assertUnharmed();
    }
  }

  @Test
  void endOfTheCommand_endsWhatItLeftBehind(Marker marker) {
    var script = "setsid sh -c 'echo away; sleep 600; :' & read line; exit 5";
    try (var runner = holdfast(marker, shell(script, "--grace", "200ms"))) {
      runner.await("away");
      runner.send("end");

      assertThat(runner.waitStatus()).isEqualTo(5);
      Census.of(marker).assertNone();
    }
  }

  @Test
  void containmentGroup_letsGoWhatHasLeftTheGroup(Marker marker) {
    var script = "setsid sh -c 'echo away; sleep 600; :' & read line; exit 5";
    try (var runner =
        holdfast(marker, shell(script, "--grace", "200ms", "--containment", "group"))) {
      runner.await("away");
      runner.send("end");

      assertThat(runner.waitStatus()).isEqualTo(5);
      assertThat(Census.of(marker).endAll()).isNotEmpty();
    }
  }

  @Test
  void argumentsVariablesAndDirectory_arriveAsGiven_inTheCLocaleToo(
      Marker marker, @TempDir Path directory) throws IOException {
    var real = directory.toRealPath().toString();
    var script = "printf '%s\\n' \"$A\" \"$B\" \"$@\"; pwd";
    var file = "@" + Files.writeString(directory.resolve("words"), "expanded");
    var command =
        List.of("sh", "-c", script, "sh", "--", "--env", file, "", "gr\u00fc\u00df", "'a b'");
    try (var runner =
        prepared(marker, run(command, "--env", "A=x=y", "--env", "B=\u00fc", "--cwd", real))
            .env("LC_ALL", "C")
            .start()) {
      var ended = Ended.of(runner);

      assertThat(ended.status()).as(runner.output()).isZero();
      assertThat(ended.out())
          .containsExactly(
              "x=y", "\u00fc", "--", "--env", file, "", "gr\u00fc\u00df", "'a b'", real);
    }
  }

  @Test
  void log_tellsTheLifeCycle_onStandardError_withoutValues(Marker marker) {
    try (var runner =
        holdfast(marker, shell("echo out; exit 4", "--log", "--env", "SECRET=hunter2"))) {
      var ended = Ended.of(runner);

      assertThat(ended.status()).isEqualTo(4);
      assertThat(ended.out()).containsExactly("out");
      assertThat(ended.err())
          .anyMatch(line -> line.contains("sh -c 'echo out; exit 4'") && line.contains("exited"))
          .noneMatch(line -> line.contains("hunter2"));
    }
  }

  @Test
  void orphans_comeToTheRunner_andAreReaped(Marker marker) {
    var script = "(setsid sh -c 'echo orphan $$; exec sleep 600' &); read line; exit 6";
    try (var runner = holdfast(marker, shell(script))) {
      var pid = Long.parseLong(runner.await("orphan ").substring("orphan ".length()));
      await("the orphan's parent is the runner")
          .atMost(SOON)
          .until(() -> Census.process(pid).map(ProcessEntry::ppid).orElse(0L) == runner.pid());

      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);

      await("the orphan is reaped").atMost(SOON).until(() -> Census.process(pid).isEmpty());
      assertThat(Census.zombies(runner.pid())).isEmpty();
      runner.send("end");
      assertThat(runner.waitStatus()).isEqualTo(6);
    }
  }

  /** A refused platform can't be had here; a JVM that forbids native access is refused alike. */
  @Test
  void unsupported_isSaidInOneSentence() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var runner =
        new ProcessBuilder(
                java,
                "--illegal-native-access=deny",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "true")
            .redirectErrorStream(true)
            .start();
    var said = new String(runner.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(runner.waitFor()).isEqualTo(125);
    assertThat(said)
        .isEqualTo(
            "holdfast: Holdfast calls the C library, which this JVM forbids; start it with"
                + " --enable-native-access=ALL-UNNAMED.\n");
  }

  @Test
  @Tag("long")
  void demo_leavesNothing(Marker marker) {
    try (var demo = holdfast(marker, "demo")) {
      var ended = Ended.of(demo);

      assertThat(ended.status()).as(demo.output()).isZero();
      assertThat(ended.out()).endsWith("Nothing is left.");
      assertThat(ended.err()).isEmpty();
    }
  }
}
