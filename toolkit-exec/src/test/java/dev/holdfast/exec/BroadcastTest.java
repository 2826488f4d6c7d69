package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.libc.OldKernel;
import dev.holdfast.exec.libc.SignalTargets;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.FixtureTree;
import dev.holdfast.testkit.FixtureTrees;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R10 over whole lives: no signal, and no wait, is ever for everybody, nor for ourselves. */
class BroadcastTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-", "Cleaner-");

  @Test
  void r10_livesOfAllKinds_signalOnlyOthers(Marker marker, Census census) throws Exception {
    try (var bystander = Bystander.start();
        var watched = SignalTargets.watch()) {
      live(marker);
      census.assertNone();
      bystander.assertUnharmed();
      assertHarmless(watched);
    }
  }

  @Test
  void r10_livesOfAllKindsOnAnOldKernel_signalOnlyOthers(Marker marker, Census census)
      throws Exception {
    try (var bystander = Bystander.start();
        var watched = SignalTargets.watch();
        var old = OldKernel.pretend()) {
      live(marker);
      census.assertNone();
      bystander.assertUnharmed();
      assertHarmless(watched);
      assertThat(watched.calls())
          .as("groups signalled by number")
          .anyMatch(c -> c.matches("kill -\\d+"));
      assertThat(old).isNotNull();
    }
  }

  private static void live(Marker marker) throws InterruptedException {
    var kill = StopPolicy.graceful(Duration.ofMillis(50));
    try (var scope = Exec.scope(options -> options.stop(kill))) {
      for (FixtureTree tree : FixtureTrees.oneOfEachKind()) {
        scope.spawn(Command.of(tree.argv(marker)));
      }
      scope.run(Command.of("true"));
      scope.run(Command.of(Fixture.program(marker, "sleep", "300")).timeout(Duration.ofMillis(50)));
      var child = scope.spawn(Command.of(Fixture.program(marker, "sleep", "300")));
      child.signal(Signal.STOP);
      child.kill();
    }
  }

  private static void assertHarmless(SignalTargets watched) {
    var self = Math.toIntExact(ProcessHandle.current().pid());
    var group = Census.process(self).map(ProcessEntry::pgid).map(Math::toIntExact).orElseThrow();
    assertThat(watched.ids()).isNotEmpty().doesNotContain(0, 1, -1, self, -self, -group);
  }
}
