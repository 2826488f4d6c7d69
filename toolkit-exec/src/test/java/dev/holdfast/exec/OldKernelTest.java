package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.libc.OldKernel;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.Witnessed;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The fallback: group numbers that are pinned by an unreaped placeholder. */
@Witnessed(allowedThreads = {"holdfast-", "Cleaner-"})
class OldKernelTest {
  private static final StopPolicy FAST = StopPolicy.graceful(Duration.ofMillis(100));

  @BeforeAll
  static void warmUp() throws Exception {
    Exec.run("true");
  }

  @Test
  void pinnedGroup_treeIgnoresTerm_isKilled(Marker marker, Census census) throws Exception {
    try (Bystander bystander = Bystander.start();
        OldKernel old = OldKernel.pretend();
        ExecScope scope = Exec.scope()) {
      ChildProcess child =
          scope.spawn(
              Command.of(
                      Fixture.command(
                          marker, "ignore", "TERM", "start", "[", "ignore", "TERM", "up", "sleep",
                          "300", "]", "say", "ready", "sleep", "300"))
                  .stdout(Output.pipe())
                  .stop(FAST));
      assertThat(child.lines().findFirst()).hasValue("ready");
      census.awaitLive(2, Duration.ofSeconds(10));
      Result result = child.stop();
      assertThat(result.status()).isEqualTo(new ExitStatus.Signaled(Signal.KILL, false));
      census.assertNone();
      bystander.assertUnharmed();
      assertThat(scope.protection().groupSignal()).isEqualTo(Protection.GroupSignal.PINNED_LEADER);
      assertThat(old).isNotNull();
    }
  }

  @Test
  void pinnedGroup_leaderExitsBeforeDescendant_descendantEndsAtClose(Marker marker, Census census)
      throws Exception {
    try (OldKernel old = OldKernel.pretend()) {
      try (ExecScope scope = Exec.scope()) {
        Result result =
            scope.run(
                Command.of(
                        Fixture.command(
                            marker, "start", "[", "release", "up", "sleep", "300", "]", "exit",
                            "7"))
                    .stop(FAST));
        assertThat(result.status()).isEqualTo(new ExitStatus.Exited(7));
        census.awaitLive(1, Duration.ofSeconds(10));
      }
      census.assertNone();
      assertThat(old).isNotNull();
    }
  }

  @Test
  void pinnedGroup_manyShortChildren_leaveNoZombie(Marker marker) throws Exception {
    try (OldKernel old = OldKernel.pretend();
        ExecScope scope = Exec.scope()) {
      for (int i = 0; i < 50; i++) {
        Result result = scope.run(Command.of(Fixture.program(marker, "/bin/true")));
        assertThat(result.isSuccess()).isTrue();
      }
      assertThat(scope.awaitProcesses(Duration.ofSeconds(20))).isTrue();
      assertThat(Census.zombies()).isEmpty();
      assertThat(old).isNotNull();
    }
  }
}
