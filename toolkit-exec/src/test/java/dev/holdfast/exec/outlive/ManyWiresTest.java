package dev.holdfast.exec.outlive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.ExitStatus;
import dev.holdfast.exec.Profile;
import dev.holdfast.exec.Signal;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import dev.holdfast.testkit.VictimJvm;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each child has a wire of its own, which sends one signal, to that child's groups. */
class ManyWiresTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int KILL = 9;

  /** A real-time signal: the kernel queues it, so that a second one isn't lost. */
  private static final int QUEUED = 40;

  /** Descriptors that one child with stdio discarded takes of a JVM, and one to spare. */
  private static final int DESCRIPTORS = 6;

  /**
   * Waits, with the signal blocked, for a byte from the gate, then tells how many were queued. The
   * count is made after the wait, by another program, as two thousand interpreters take much room.
   */
  private static final String COUNTER =
      """
      read -r gate < "$1"
      exec /usr/bin/python3 -I -S -c '
      import signal, os, sys
      n = 0
      while signal.sigtimedwait({%d}, 0): n += 1
      fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
      os.write(fd, b"%%d\\n" %% n)
      ' "$2"
      """
          .formatted(QUEUED);

  @TempDir private Path dir;

  @Test
  void orph20_manyChildren_jvmKilled_allGo(Marker marker) throws IOException {
    var count = count();
    var command = Fixture.program(marker, "sleep", "300");
    try (var bystander = Bystander.start();
        var victim = start(marker, count, KILL, command)) {
      var children = Census.of(marker).except(victim.pid());
      children.awaitLive(count, LIMIT);

      victim.kill();

      victim.waitStatus(Owner.SOON);
      children.awaitGone(LIMIT);
      bystander.assertUnharmed();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "setsid"})
  void orph20_manyChildren_jvmKilled_eachGetsOneSignal(String leader, Marker marker)
      throws Exception {
    var count = leader.isEmpty() ? count() : 20;
    var gate = dir.resolve("gate");
    assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor()).isZero();
    var counts = Files.createFile(dir.resolve("counts"));
    var words = new java.util.ArrayList<>(List.of("env", "--block-signal=" + QUEUED));
    if (!leader.isEmpty()) {
      words.add(leader);
    }
    words.addAll(List.of("sh", "-c", COUNTER, "sh", gate.toString(), counts.toString()));
    try (var opened = new RandomAccessFile(gate.toFile(), "rw");
        var victim =
            start(marker, count, QUEUED, Fixture.program(marker, words.toArray(String[]::new)))) {
      var children = Census.of(marker).except(victim.pid());
      awaitAllAtTheGate(children, count);

      victim.kill();
      victim.waitStatus(Owner.SOON);

      assertThat(children.live()).hasSize(count);
      opened.write("\n".repeat(count).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      children.awaitGone(LIMIT);
      assertThat(Files.readAllLines(counts)).hasSize(count).containsOnly("1");
    }
  }

  @Test
  void orph20_writingIntoItsOwnPipe_harmsNoSibling(ExecScope scope, Marker marker, Census census)
      throws InterruptedException {
    var siblings =
        List.of(
            scope.spawn(Command.of(Fixture.program(marker, "sleep", "300"))),
            scope.spawn(Command.of(Fixture.program(marker, "setsid", "sleep", "300"))));
    var writer =
        scope.spawn(
            Command.of(Fixture.shell(marker, "echo fire > /proc/self/fd/100; sleep 300; :")));

    assertThat(writer.join().status())
        .isInstanceOfSatisfying(
            ExitStatus.Signaled.class,
            signaled -> assertThat(signaled.signal()).isEqualTo(Signal.KILL));

    assertThat(census.live())
        .extracting(ProcessEntry::pid)
        .containsExactlyInAnyOrder(siblings.getFirst().pid(), siblings.getLast().pid());
  }

  private static VictimJvm start(Marker marker, int count, int signal, List<String> command) {
    var builder = VictimJvm.builder(ManyVictim.class).marker(marker).jvmArg("-Xmx512m");
    builder.arg(Integer.toString(count)).arg(Integer.toString(signal));
    command.forEach(builder::arg);
    var victim = builder.start();
    try {
      victim.await("owner up", LIMIT);
      return victim;
    } catch (Throwable t) {
      victim.close();
      throw t;
    }
  }

  /** Each shell reads from the gate: its standard input, while it does. */
  private static void awaitAllAtTheGate(Census children, int count) {
    children.awaitLive(count, LIMIT);
    for (ProcessEntry child : children.live()) {
      Owner.await(
          () ->
              Census.descriptors(child.pid()).stream()
                  .anyMatch(fd -> fd.number() == 0 && fd.target().endsWith("gate")));
    }
  }

  private static int count() throws IOException {
    var wanted = Profile.times(200, 2000);
    var limit =
        Files.readAllLines(Path.of("/proc/self/limits")).stream()
            .filter(line -> line.startsWith("Max open files"))
            .map(line -> line.trim().split(" +")[4])
            .findFirst()
            .orElseThrow();
    return limit.equals("unlimited")
        ? wanted
        : Math.min(wanted, (Integer.parseInt(limit) - 200) / DESCRIPTORS);
  }
}
