package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@Witnessed
class VictimJvmTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void victim_lineProtocol_speaksBothWays() {
    try (var victim = VictimJvm.builder(Talker.class).arg("one").systemProperty("p", "2").start()) {
      assertThat(victim.await("ready")).isEqualTo("ready one 2");
      victim.send("hello");
      assertThat(victim.await("heard")).isEqualTo("heard hello");
      victim.send("exit");

      assertThat(victim.waitStatus()).isEqualTo(7);
      assertThat(victim.lines()).contains("ready one 2", "heard hello");
    }
  }

  @Test
  void victim_signals_endItWithTheirStatus() {
    try (var victim = VictimJvm.builder(Talker.class).start()) {
      victim.await("ready");
      victim.signal("TERM");
      assertThat(victim.waitStatus()).isEqualTo(143);
    }
    try (var victim = VictimJvm.builder(Talker.class).start()) {
      victim.await("ready");
      victim.kill();
      assertThat(victim.waitStatus()).isEqualTo(137);
      assertThat(victim.signal("TERM")).isFalse();
    }
  }

  @Test
  void await_victimEndsFirst_failsAtOnceWithItsOutput() {
    try (var victim = VictimJvm.builder(Talker.class).start()) {
      victim.await("ready");
      victim.send("exit");

      assertThatThrownBy(() -> victim.await("never"))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("did not print \"never\"")
          .hasMessageContaining("ready")
          .hasMessageContaining("going");
    }
  }

  @Test
  void close_runningVictim_leavesNeitherProcessNorFiles(Marker marker, Census census)
      throws IOException {
    Path directory;
    try (var victim = VictimJvm.builder(Talker.class).marker(marker).start()) {
      victim.await("ready");
      victim.send("mark");
      assertThat(victim.await("marker")).isEqualTo("marker " + marker);
      directory = Path.of(victim.await("directory").substring("directory ".length()));
      assertThat(directory).isDirectory();
      assertThat(census.live())
          .singleElement()
          .extracting(ProcessEntry::pid)
          .isEqualTo(victim.pid());
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void asOrdinaryUser_root_runsAsNobodyAndUsesTheFixture(Marker marker, Census census)
      throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "only root can change users");
    try (var victim = VictimJvm.builder(Talker.class).marker(marker).asOrdinaryUser().start()) {
      victim.await("ready");
      assertThat(Files.getAttribute(Path.of("/proc/" + victim.pid()), "unix:uid"))
          .isEqualTo(65_534);
      victim.send("fixture");
      victim.await("fixture forever");

      assertThat(census.except(victim.pid()).awaitLive(1, LIMIT)).hasSize(1);
      census.except(victim.pid()).endAll();
    }
  }

  @Test
  void under_limit_appliesToTheJvmItself() throws IOException {
    try (var victim =
        VictimJvm.builder(Talker.class).under("prlimit", "--core=0", "--nofile=77:77").start()) {
      victim.await("ready");

      assertThat(Files.readString(Path.of("/proc/" + victim.pid() + "/limits")))
          .containsPattern("Max open files +77 +77");
    }
  }

  @Test
  void killAfter_mark_killsIt() {
    try (var victim =
        VictimJvm.builder(Talker.class).killAfter("ready", Duration.ofNanos(1000)).start()) {
      assertThat(victim.waitStatus()).isEqualTo(137);
    }
  }

  /** Answers commands. */
  static final class Talker {
    private Talker() {}

    public static void main(String[] args) throws IOException {
      System.out.println("ready " + String.join(" ", args) + " " + System.getProperty("p"));
      while (true) {
        var command = readLine();
        switch (command) {
          case "exit" -> {
            System.err.println("going");
            System.exit(7);
          }
          case "mark" -> {
            System.out.println("marker " + Marker.ofVictim());
            System.out.println("directory " + System.getProperty("java.io.tmpdir"));
          }
          case "fixture" -> {
            var child =
                new ProcessBuilder(Fixture.command(Marker.ofVictim(), "forever"))
                    .inheritIO()
                    .start();
            System.out.println("fixture forever " + child.pid());
          }
          default -> System.out.println("heard " + command);
        }
      }
    }

    private static String readLine() throws IOException {
      var line = new StringBuilder();
      for (int c = System.in.read(); c != '\n' && c >= 0; c = System.in.read()) {
        line.append((char) c);
      }
      return line.toString();
    }
  }
}
