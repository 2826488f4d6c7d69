package dev.holdfast.exec.outlive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Containment;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A child's two groups: the placeholder's, and the one that its leader may make. */
class GroupsTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  /** Who leads, how many processes there are in the end, and where. */
  enum Leader {
    PLAIN(1, Place.PLACEHOLDER, "sleep", "300"),
    TIMEOUT(2, Place.LEADER, "timeout", "300", "sleep", "300"),
    SETSID(1, Place.LEADER, "setsid", "sleep", "300"),
    /** Makes its own group, finds no terminal, and goes back if the old one is still there. */
    INTERACTIVE_SHELL(2, Place.EITHER, "bash", "--norc", "-i", "-c", "sleep 300; :"),
    BOTH_GROUPS(2, Place.BOTH, "sh", "-c", "sleep 300 & exec setsid sleep 300"),
    LEADER_GONE(1, Place.PLACEHOLDER, "sh", "-c", "sleep 300 &"),
    LEADER_GONE_FROM_ITS_OWN(1, Place.LEADER, "setsid", "sh", "-c", "sleep 300 &");

    private enum Place {
      PLACEHOLDER,
      LEADER,
      BOTH,
      EITHER;

      private boolean holds(List<ProcessEntry> live, long leader) {
        var own = live.stream().filter(entry -> entry.pgid() == leader).count();
        return switch (this) {
          case PLACEHOLDER -> own == 0;
          case LEADER -> own == live.size();
          case BOTH -> own == 1;
          case EITHER -> live.stream().map(ProcessEntry::pgid).distinct().count() == 1;
        };
      }
    }

    private final int processes;
    private final Place place;
    private final List<String> words;

    Leader(int processes, Place place, String... words) {
      this.processes = processes;
      this.place = place;
      this.words = List.of(words);
    }

    private List<String> command(Marker marker) {
      return Fixture.program(marker, words.toArray(String[]::new));
    }

    /** Waits until all are where they belong, which is never this JVM's group. */
    private void awaitGroups(Census census, long leader, long jvm) {
      var jvmGroup = Census.process(jvm).orElseThrow().pgid();
      Owner.await(
          () -> {
            var live = census.live();
            return live.size() == processes
                && live.stream().anyMatch(entry -> entry.command().equals("sleep 300"))
                && place.holds(live, leader);
          });
      assertThat(census.live()).extracting(ProcessEntry::pgid).doesNotContain(jvmGroup);
    }
  }

  @ParameterizedTest
  @EnumSource
  void o5_stop_endsBothGroups(Leader leader, ExecScope scope, Marker marker, Census census)
      throws InterruptedException {
    try (var bystander = Bystander.start()) {
      var command = Command.of(leader.command(marker)).containment(Containment.GROUP);
      var child = scope.spawn(command);
      leader.awaitGroups(census, child.pid(), ProcessHandle.current().pid());
      if (leader.name().startsWith("LEADER_GONE")) {
        child.join();
      }
      assertThat(child.treeGone()).isNotDone();

      child.stop();

      census.assertNone();
      assertThat(child.treeGone()).isDone();
      bystander.assertUnharmed();
    }
  }

  @ParameterizedTest
  @EnumSource
  void o5_jvmKilled_bothGroupsGo(Leader leader, Marker marker) {
    try (var bystander = Bystander.start();
        var owner = Owner.start(Owner.builder(marker, leader.command(marker)), marker)) {
      leader.awaitGroups(owner.others(), owner.children().getFirst(), owner.jvm().pid());

      owner.die(Death.KILL);

      owner.others().awaitGone(Owner.SOON);
      bystander.assertUnharmed();
    }
  }

  /** Each job of a job-control shell is a group of its own, which only TREE reaches. */
  @Test
  void o5_groupsBelowTheLeader_endWithTheTree(ExecScope scope, Marker marker, Census census) {
    var shell =
        Fixture.command(
            marker, "start", "[", "setpgid", "up", "forever", "]", "say", "ready", "forever");
    var child = scope.spawn(Command.of(shell));
    Owner.await(() -> census.live().stream().map(ProcessEntry::pgid).distinct().count() == 2);

    child.stop();

    census.assertNone();
  }

  @Test
  void orph18_oneOfTwoScopesCloses_onlyItsChildrenEnd(
      ExecScope stays, Marker marker, Census census) {
    try (var bystander = Bystander.start()) {
      var kept = stays.spawn(Command.of(Leader.PLAIN.command(marker)));
      var keptToo = stays.spawn(Command.of(Leader.SETSID.command(marker)));
      try (var closes = Exec.scope()) {
        closes.spawn(Command.of(Leader.PLAIN.command(marker)));
        closes.spawn(Command.of(Leader.SETSID.command(marker)));
        census.awaitLive(4, Owner.SOON);
      }
      assertThat(census.live())
          .extracting(ProcessEntry::pid)
          .containsExactlyInAnyOrder(kept.pid(), keptToo.pid());
      assertThat(kept.isAlive()).isTrue();
      assertThat(keptToo.isAlive()).isTrue();
      bystander.assertUnharmed();
    }
  }
}
