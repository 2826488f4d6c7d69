package dev.holdfast.exec.outlive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.Profile;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.VictimJvmBuilder;
import dev.holdfast.testkit.Witnessed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The JVM is killed while the child that {@code posix_spawn} has made is held, by strace(1), in the
 * middle of its way to exec: it has a copy of each write end, those of older children included.
 */
@Witnessed
class HeldSpawnTest {
  private static final Duration HOLD = Duration.ofMillis(1500);

  /** On a loaded machine the JVM may take longer to die than its child is held. */
  private static final int TRIES = 4;

  /** Owns children that defeat the first cover, then spawns another one. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      var marker = Marker.ofVictim();
      try (var scope = Exec.scope()) {
        for (List<String> command : standing(marker)) {
          scope.spawn(Command.of(command));
        }
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("standing");
        commands.readLine();
        scope.spawn(Command.of(Fixture.program(marker, "sleep", "301")));
        System.out.println("spawned");
        commands.readLine();
      }
    }
  }

  private static List<List<String>> standing(Marker marker) {
    return List.of(
        Fixture.program(marker, "setsid", "sleep", "300"),
        Fixture.shell("/bin/bash", marker, "exec 3>&1; exec 100>&-; sleep 300; :"));
  }

  /** System calls of the child in the order in which it makes them, and which one of its kind. */
  static Stream<String> calls() {
    var all =
        Stream.of(
            "setpgid:when=1",
            "dup2:when=1",
            "dup2:when=4",
            "close_range:when=1",
            "dup2:when=5",
            "execve:when=1");
    return all.filter(call -> Profile.isLong() || call.startsWith("close_range"));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void o7_jvmKilledWhileTheChildIsHeldAtACall_leavesNothing(String call, Marker marker)
      throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")), "needs strace");
    var name = call.substring(0, call.indexOf(':'));
    var inject =
        "inject=" + name + ":delay_enter=" + HOLD.toMillis() * 1000 + call.substring(name.length());
    var builder =
        VictimJvm.builder(Victim.class)
            .marker(marker)
            .under("strace", "-D", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null")
            .under("-e", "trace=" + name, "-e", inject);
    try (var bystander = Bystander.start()) {
      var tries = 0;
      while (!killWhileHeld(builder, marker)) {
        assertThat(++tries).as("tries in which the JVM died too late").isLessThan(TRIES);
      }
      bystander.assertUnharmed();
    }
  }

  /** Whether the child was still held when the JVM was dead. */
  private static boolean killWhileHeld(VictimJvmBuilder builder, Marker marker) {
    try (var victim = builder.start()) {
      victim.await("standing", Owner.SOON);
      var others = Census.of(marker).except(victim.pid());
      awaitStanding(others);

      victim.send("spawn");
      var held = awaitHeld(victim.pid());
      victim.kill();
      victim.waitStatus(Owner.SOON);
      var inTime = Census.process(held).filter(HeldSpawnTest::isHeld).isPresent();

      others.awaitGone(Owner.SOON);
      return inTime && !victim.lines().contains("spawned");
    }
  }

  private static void awaitStanding(Census others) {
    Owner.await(
        () -> {
          var live = others.live().stream().filter(e -> !e.command().startsWith("strace")).toList();
          return live.size() == 3
              && live.stream().filter(entry -> entry.command().equals("sleep 300")).count() == 2
              && live.stream()
                  .filter(entry -> entry.command().startsWith("/bin/bash"))
                  .noneMatch(
                      bash ->
                          Census.descriptors(bash.pid()).stream()
                              .anyMatch(fd -> fd.number() == 100));
        });
  }

  /** The child of the JVM that is stopped by its tracer in two looks. */
  private static long awaitHeld(long jvm) {
    var seen = new long[1];
    Owner.await(
        () -> {
          var now = held(jvm).map(ProcessEntry::pid).orElse(0L);
          var again = now != 0 && now == seen[0];
          seen[0] = now;
          return again;
        });
    return seen[0];
  }

  private static Optional<ProcessEntry> held(long jvm) {
    return Census.children(jvm).stream().filter(HeldSpawnTest::isHeld).findFirst();
  }

  /** By its tracer, before its exec. */
  private static boolean isHeld(ProcessEntry child) {
    return child.state() == 't' && child.command().contains(Victim.class.getName());
  }
}
