package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Witnessed
class FixtureTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  @TempDir Path directory;

  @Test
  void fixture_endOfCommands_exitsWithZero(Marker marker) throws Exception {
    assertThat(run(marker).status()).isZero();
  }

  @Test
  void exit_code_isTheStatus(Marker marker) throws Exception {
    assertThat(run(marker, "exit", "3").status()).isEqualTo(3);
  }

  @Test
  void fixture_unknownCommand_exitsWith70(Marker marker) throws Exception {
    try (var planted =
        new Planted(
            Fixture.shell(
                marker,
                "exec \"$@\" 2>&1",
                Fixture.command(marker, "bogus").toArray(String[]::new)))) {
      assertThat(planted.line()).contains("unknown command bogus");
      assertThat(planted.status()).isEqualTo(70);
    }
  }

  @Test
  void die_signal_endsIt(Marker marker) throws Exception {
    assertThat(run(marker, "die", "KILL").status()).isEqualTo(137);
    assertThat(run(marker, "trap", "TERM", "[", "exit", "1", "]", "die", "TERM").status())
        .isEqualTo(143);
  }

  @Test
  void ignore_term_survivesIt(Marker marker) throws Exception {
    try (var planted =
        Planted.fixture(marker, "ignore", "TERM", "say", "ready", "readline", "exit", "5")) {
      planted.line();
      planted.signal("TERM");
      planted.stdin("go\n");

      assertThat(planted.line()).isEqualTo("line go");
      assertThat(planted.status()).isEqualTo(5);
    }
  }

  @Test
  void trap_term_runsItsBlock(Marker marker) throws Exception {
    var file = directory.resolve("late");
    try (var planted =
        Planted.fixture(
            marker,
            words("trap TERM [ sleep 0.05 append " + file + " late exit 9 ] say ready forever"))) {
      planted.line();
      planted.signal("TERM");

      assertThat(planted.status()).isEqualTo(9);
      assertThat(file).hasContent("late");
    }
  }

  @Test
  void log_signals_notesEachWithItsTime(Marker marker) throws Exception {
    var file = directory.resolve("signals");
    try (var planted =
        Planted.fixture(marker, words("log " + file + " [ TERM INT ] say ready forever"))) {
      planted.line();
      planted.signal("TERM");
      Patience.until(LIMIT, () -> Files.size(file) > 0);
      planted.signal("INT");
      Patience.until(LIMIT, () -> Files.readAllLines(file).size() == 2);

      assertThat(file).content().matches("TERM \\d+\nINT \\d+\n");
    }
  }

  @Test
  void stop_itself_isStopped(Marker marker, Census census) throws Exception {
    try (var planted = Planted.fixture(marker, "stop")) {
      assertThat(
              Patience.until(LIMIT, () -> Census.process(planted.pid()).orElseThrow().isStopped()))
          .isTrue();
      assertThat(census.live()).hasSize(1);
    }
  }

  @Test
  void listen_anyPort_printsItAndAccepts(Marker marker) throws Exception {
    try (var planted = Planted.fixture(marker, "listen", "0", "forever")) {
      var line = planted.line();
      assertThat(line).startsWith("listening ");

      int port = Integer.parseInt(line.substring("listening ".length()));
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(socket.isConnected()).isTrue();
      }
    }
  }

  @Test
  void spawn_child_carriesTheMarkerAndHasItsParent(Marker marker, Census census) throws Exception {
    try (var planted = Planted.fixture(marker, words("start [ up forever ] say ready forever"))) {
      planted.line();

      assertThat(census.live()).hasSize(2);
      assertThat(Census.children(planted.pid()))
          .singleElement()
          .satisfies(child -> assertThat(census.live()).contains(child));
      census.endAll();
    }
  }

  @Test
  void doublefork_grandchild_isReparentedInTheSameGroup(Marker marker, Census census)
      throws Exception {
    try (var planted =
        Planted.fixture(marker, words("doublestart [ up forever ] say ready forever"))) {
      planted.line();

      assertThat(Census.children(planted.pid())).isEmpty();
      assertThat(census.live())
          .hasSize(2)
          .extracting(ProcessEntry::pgid)
          .containsOnly(groupOf(planted));
      census.endAll();
    }
  }

  @Test
  void setsid_child_leavesSessionAndGroup(Marker marker, Census census) throws Exception {
    try (var planted =
        Planted.fixture(marker, words("start [ setsid up forever ] say ready forever"))) {
      planted.line();

      assertThat(Census.children(planted.pid()))
          .singleElement()
          .satisfies(child -> assertThat(child.sid()).isEqualTo(child.pid()));
      census.endAll();
    }
  }

  @Test
  void setsid_groupLeader_goesOnInAChildAndPassesItsStatusOn(Marker marker) throws Exception {
    assertThat(run(marker, "setpgid", "setsid", "exit", "6").status()).isEqualTo(6);
  }

  @Test
  void exit_leaderOfATree_leavesTheDescendantWithThePipe(Marker marker, Census census)
      throws Exception {
    try (var planted = Planted.fixture(marker, words("start [ up forever ] say partial exit 1"))) {
      assertThat(planted.line()).isEqualTo("partial");
      assertThat(planted.status()).isEqualTo(1);

      assertThat(census.live())
          .singleElement()
          .satisfies(
              holder ->
                  assertThat(Census.descriptors(holder.pid()))
                      .filteredOn(descriptor -> descriptor.number() == 1)
                      .allMatch(descriptor -> descriptor.target().startsWith("pipe:")));
      census.endAll();
    }
  }

  @Test
  void hold_fifo_keepsItOpen(Marker marker) throws Exception {
    var fifo = directory.resolve("fifo");
    run(marker, "run", "[", "mkfifo", fifo.toString(), "]", "wait").status();
    try (var planted =
        Planted.fixture(marker, "hold", fifo.toString(), "say", "ready", "forever")) {
      planted.line();

      assertThat(Census.descriptors(planted.pid()))
          .extracting(Descriptor::target)
          .contains(fifo.toRealPath().toString());
    }
  }

  @Test
  void write_bytes_arriveExactly(Marker marker) throws Exception {
    try (var planted = Planted.fixture(marker, "write", "stdout", "200000")) {
      assertThat(planted.line()).hasSize(200_000);
      assertThat(planted.status()).isZero();
    }
  }

  @Test
  void read_input_isCountedAndCopied(Marker marker) throws Exception {
    try (var planted = Planted.fixture(marker, "read")) {
      planted.stdin("abcd");
      assertThat(planted.line()).isEqualTo("read 4");
    }
    try (var planted = Planted.fixture(marker, "cat")) {
      planted.stdin("a\nb\n");
      assertThat(planted.restOfLines()).containsExactly("a", "b");
    }
  }

  @Test
  void cleanenv_environment_isEmptyAndMarkerStays(Marker marker, Census census) throws Exception {
    try (var planted = Planted.fixture(marker, words("cleanenv show env say end forever"))) {
      assertThat(planted.line()).isEqualTo("end");
      assertThat(census.live()).hasSize(1);
    }
  }

  @Test
  void show_arguments_areVerbatim(Marker marker) throws Exception {
    try (var planted = Planted.fixture(marker, "show", "args", "a b", "\"*\"", "$x", "é")) {
      assertThat(planted.restOfLines()).containsExactly("a b", "\"*\"", "$x", "é");
    }
  }

  @Test
  void exec_program_carriesTheMarkerInItsEnvironment(Marker marker, Census census)
      throws Exception {
    try (var planted = Planted.fixture(marker, "exec", "sleep", "60")) {
      Patience.until(
          LIMIT, () -> Census.process(planted.pid()).orElseThrow().command().equals("sleep 60"));

      assertThat(census.live())
          .singleElement()
          .extracting(ProcessEntry::pid)
          .isEqualTo(planted.pid());
    }
  }

  @Test
  void shell_script_isLiteralAndDescendantsCarryTheMarker(Marker marker, Census census)
      throws Exception {
    for (String shell : List.of("/bin/sh", "/bin/bash")) {
      try (var planted = new Planted(Fixture.shell(shell, marker, "sleep 60; :", "one"))) {
        var found = census.awaitLive(2, LIMIT);

        assertThat(found).extracting(ProcessEntry::pid).contains(planted.pid());
        assertThat(found).extracting(ProcessEntry::command).contains("sleep 60");
        census.endAll();
      }
    }
  }

  @Test
  void endleader_otherThread_givesTheStatus(Marker marker) throws Exception {
    assertThat(run(marker, "endleader", "0.05", "42").status()).isEqualTo(42);
  }

  @Test
  void fixture_minimalEnvironment_starts(Marker marker) throws Exception {
    var builder = new ProcessBuilder(Fixture.command(marker, "show", "env"));
    builder.environment().clear();
    builder.environment().putAll(Map.of("spring.x-y", "1"));
    var process = builder.start();

    assertThat(process.inputReader().lines()).containsExactly("spring.x-y=1");
    assertThat(process.waitFor()).isZero();
  }

  private static long groupOf(Planted planted) {
    return Census.process(planted.pid()).orElseThrow().pgid();
  }

  private static Planted run(Marker marker, String... commands) throws Exception {
    try (var planted = Planted.fixture(marker, commands)) {
      planted.status();
      return planted;
    }
  }

  private static String[] words(String line) {
    return line.split(" ", -1);
  }
}
