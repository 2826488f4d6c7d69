package dev.holdfast.exec;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.exec.libc.SignalLog;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import dev.holdfast.testkit.VictimJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A child that is gone is signalled no more, nor is who has got its number. */
class SettledTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  private static final Duration SOON = Duration.ofSeconds(20);

  @ParameterizedTest
  @EnumSource(Containment.class)
  void e22_callsAfterTheEnd_signalNobody(Containment containment, ExecScope scope, Marker marker)
      throws Exception {
    ChildProcess child =
        scope.spawn(
            Command.of(Fixture.shell(marker, "sleep .1 & exit 3"))
                .containment(containment)
                .timeout(Duration.ofMillis(300)));
    child.treeGone().get(20, SECONDS);
    assertThat(scope.awaitProcesses(SOON)).isTrue();
    try (SignalLog log = SignalLog.open()) {
      assertThat(child.signal(Signal.TERM)).isFalse();
      assertThat(child.stop().status()).isEqualTo(new ExitStatus.Exited(3));
      assertThat(child.kill().status()).isEqualTo(new ExitStatus.Exited(3));
      assertThat(child.stop().cause()).isEqualTo(dev.holdfast.scope.Cause.SELF);
      scope.halt();
      scope.close();
      assertThat(log.signals()).isEmpty();
    }
  }

  @Test
  void e22_theLogOfSignals_seesOne(ExecScope scope, Marker marker) {
    ChildProcess child = scope.spawn(Command.of(Fixture.program(marker, "sleep", "60")));
    try (SignalLog log = SignalLog.open()) {
      assertThat(child.signal(Signal.CONT)).isTrue();
      child.kill();
      assertThat(log.signals()).contains(Signal.CONT.number(), Signal.KILL.number());
    }
  }

  @Test
  void e22_forceIsIdempotent(ExecScope scope, Marker marker) throws Exception {
    ChildProcess child = scope.spawn(Command.of(Fixture.program(marker, "sleep", "60")));
    try (SignalLog log = SignalLog.open()) {
      Result first = child.kill();
      List<Integer> before = log.signals();
      Result second = child.kill();
      assertThat(second.status()).isEqualTo(first.status());
      assertThat(log.signals()).isEqualTo(before);
    }
  }

  /** In a pid namespace of its own, where the next pid can be chosen: of a user's when not root. */
  @ParameterizedTest
  @ValueSource(strings = {"gone", "leaderless"})
  void e22_numberIsUsedAgain_strangerIsUnharmed(String how) {
    List<String> unshare =
        new ArrayList<>(List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"));
    if (!isRoot()) {
      unshare.add("--map-root-user");
    }
    try (VictimJvm victim =
        VictimJvm.builder(NumberReuse.class)
            .under(unshare.toArray(String[]::new))
            .arg(how)
            .start()) {
      assertThat(victim.await("reused", Duration.ofSeconds(60))).isEqualTo("reused true");
      assertThat(victim.await("signal")).isEqualTo("signal false");
      assertThat(victim.await("descendant")).isEqualTo("descendant gone");
      assertThat(victim.await("stranger")).isEqualTo("stranger alive");
      assertThat(victim.await("closed")).isEqualTo("closed, stranger alive");
    }
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Ends a child, gives its number to a stranger, and asks for every signal there is. */
  static final class NumberReuse {
    private NumberReuse() {}

    public static void main(String[] args) throws Exception {
      boolean leaderless = args[0].equals("leaderless");
      Process stranger;
      try (ExecScope scope = Exec.scope()) {
        ChildProcess child =
            scope.spawn(
                Command.of("sh", "-c", leaderless ? "sleep 600 & echo $!" : "echo $$")
                    .containment(Containment.GROUP)
                    .stop(StopPolicy.graceful(Duration.ofMillis(300))));
        int number = Math.toIntExact(child.pid());
        long descendant = Long.parseLong(child.join().stdout().strip());
        if (!leaderless) {
          child.treeGone().get(20, SECONDS);
        }
        stranger = strangerWith(number);
        System.out.println("reused " + (stranger != null));
        System.out.println("signal " + child.signal(Signal.KILL));
        child.kill();
        System.out.println("descendant " + (leaderless && lives(descendant) ? "alive" : "gone"));
        child.stop();
        scope.halt();
        System.out.println("stranger " + (lives(number) ? "alive" : "gone"));
      }
      System.out.println("closed, stranger " + (stranger.isAlive() ? "alive" : "gone"));
      stranger.destroyForcibly();
      System.in.read();
    }

    /** A session, and so a group, that has exactly this number; null when none could be had. */
    private static Process strangerWith(int number) throws Exception {
      for (int i = 0; i < 200; i++) {
        Files.writeString(Path.of("/proc/sys/kernel/ns_last_pid"), String.valueOf(number - 1));
        Process stranger = new ProcessBuilder("setsid", "sleep", "600").start();
        if (stranger.pid() == number) {
          await().atMost(SOON).until(() -> stat(number)[2].equals(String.valueOf(number)));
          return stranger;
        }
        stranger.destroyForcibly().waitFor();
      }
      return null;
    }

    private static boolean lives(long pid) {
      try {
        return !stat(pid)[0].equals("Z");
      } catch (IOException e) {
        return false;
      }
    }

    /** State, parent, group and so on. */
    private static String[] stat(long pid) throws IOException {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }
  }
}
