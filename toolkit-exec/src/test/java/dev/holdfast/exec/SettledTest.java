package dev.holdfast.exec;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.libc.SignalLog;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import dev.holdfast.testkit.VictimJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
  @CsvSource({"gone, GROUP", "gone, TREE", "leaderless, GROUP", "leaderless, TREE"})
  void e22_numberIsUsedAgain_strangerIsUnharmed(String how, Containment containment) {
    List<String> unshare =
        new ArrayList<>(List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"));
    if (!isRoot()) {
      unshare.add("--map-root-user");
    }
    try (VictimJvm victim =
        VictimJvm.builder(NumberReuse.class)
            .under(unshare.toArray(String[]::new))
            .arg(how)
            .arg(containment.name())
            .start()) {
      assertThat(victim.await("reused", Duration.ofSeconds(60))).isEqualTo("reused true");
      assertThat(victim.await("signal")).isEqualTo("signal false");
      assertThat(victim.await("descendant")).isEqualTo("descendant gone");
      assertThat(victim.await("stranger")).isEqualTo("stranger alive, its child alive");
      assertThat(victim.await("closed")).isEqualTo("closed, stranger alive, its child alive");
    }
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends a child, gives its number to a stranger, and asks for every signal there is. */
  static final class NumberReuse {
    private final int number;
    private final Process stranger;
    private final long itsChild;

    private NumberReuse(int number, Process stranger, long itsChild) {
      this.number = number;
      this.stranger = stranger;
      this.itsChild = itsChild;
    }

    public static void main(String[] args) throws Exception {
      boolean leaderless = args[0].equals("leaderless");
      NumberReuse reuse;
      try (ExecScope scope = Exec.scope()) {
        ChildProcess child =
            scope.spawn(
                Command.of("sh", "-c", leaderless ? "sleep 600 & echo $!" : "echo $$")
                    .containment(Containment.valueOf(args[1]))
                    .stop(StopPolicy.graceful(Duration.ofMillis(300))));
        int number = Math.toIntExact(child.pid());
        long descendant = Long.parseLong(child.join().stdout().strip());
        if (!leaderless) {
          child.treeGone().get(20, SECONDS);
        }
        reuse = strangerWith(number);
        System.out.println("reused " + (reuse != null));
        System.out.println("signal " + child.signal(Signal.KILL));
        child.kill();
        System.out.println("descendant " + (leaderless ? life(descendant) : "gone"));
        child.stop();
        scope.halt();
        System.out.println(reuse);
      }
      System.out.println("closed, " + reuse);
      reuse.stranger.destroyForcibly();
      System.in.read();
    }

    /** A session, and so a group, of exactly this number; null when none could be had. */
    private static @Nullable NumberReuse strangerWith(int number) throws Exception {
      for (int i = 0; i < 200; i++) {
        Files.writeString(Path.of("/proc/sys/kernel/ns_last_pid"), String.valueOf(number - 1));
        Process stranger =
            new ProcessBuilder("setsid", "sh", "-c", "setsid sleep 600 & echo $!; exec sleep 600")
                .start();
        String child = stranger.inputReader().readLine();
        if (stranger.pid() == number) {
          return new NumberReuse(number, stranger, Long.parseLong(child));
        }
        stranger.destroyForcibly().waitFor();
      }
      return null;
    }

    private static String life(long pid) {
      try {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2) == 'Z' ? "gone" : "alive";
      } catch (IOException e) {
        return "gone";
      }
    }

    @Override
    public String toString() {
      return "stranger " + life(number) + ", its child " + life(itsChild);
    }
  }
}
