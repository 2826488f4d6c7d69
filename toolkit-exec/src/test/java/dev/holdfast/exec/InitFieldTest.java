package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.Witnessed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A JVM that is PID 1 of its namespace, as in a container: orphans of its children come to it. */
@Witnessed(allowedThreads = "holdfast-")
class InitFieldTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  /** Runs as init. Prints how many zombies it has seen at each stage. */
  static final class Init {
    private Init() {}

    public static void main(String[] args) throws Exception {
      var marker = Marker.ofVictim();
      System.out.println("pid " + ProcessHandle.current().pid());
      try (var scope = Exec.scope()) {
        var child =
            scope.spawn(
                Command.of(
                        Fixture.command(
                            marker,
                            "repeat",
                            "40",
                            "[",
                            "doublefork",
                            "[",
                            "exit",
                            "0",
                            "]",
                            "]",
                            "repeat",
                            "3",
                            "[",
                            "doublestart",
                            "[",
                            "setsid",
                            "up",
                            "readline",
                            "]",
                            "]",
                            "say",
                            "forked",
                            "forever"))
                    .stdin(Input.pipe())
                    .stdout(Output.pipe()));
        String _ = child.lines().findFirst().orElseThrow();
        System.out.println("while it runs " + settled());
        child.stdin().close();
        Census.of(marker).except(1).awaitLive(1, SOON);
        System.out.println("after its orphans " + settled());
        child.stop();
        System.out.println("after its end " + settled());

        scope.run(Command.of(Fixture.shell(marker, "(sleep .3 &) ; (setsid sleep .3 &)")));
        System.out.println("after a run " + settled());
      }
      System.out.println("after close " + settled());
      System.out.println("done");
    }

    /** The zombies, once there are none or after ten seconds. */
    private static int settled() throws InterruptedException {
      var end = System.nanoTime() + SOON.toNanos() / 2;
      while (!Census.zombies().isEmpty() && System.nanoTime() < end) {
        Thread.sleep(20);
      }
      return Census.zombies().size();
    }
  }

  @Test
  void zomb05_jvmIsInit_childDoubleForks_noZombiePilesUp(Marker marker, Census census)
      throws Exception {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "needs root for unshare --pid");
    try (var victim =
        VictimJvm.builder(Init.class)
            .marker(marker)
            .under("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
            .start()) {
      victim.await("pid 1");
      victim.await("done", Duration.ofSeconds(60));
      assertThat(victim.lines())
          .contains("while it runs 0", "after its orphans 0")
          .contains("after its end 0", "after a run 0", "after close 0");
    }
    census.awaitGone(SOON);
  }
}
