package dev.holdfast.exec.outlive;

import static dev.holdfast.testkit.FixtureTree.Kind.DOUBLE_FORKER;
import static dev.holdfast.testkit.FixtureTree.Kind.LISTENER;
import static dev.holdfast.testkit.FixtureTree.Kind.PIPE_HOLDER;
import static dev.holdfast.testkit.FixtureTree.Kind.SETSID;
import static dev.holdfast.testkit.FixtureTree.Kind.SHELL;
import static dev.holdfast.testkit.FixtureTree.Kind.SLEEPER;
import static dev.holdfast.testkit.FixtureTree.Kind.STOPPED;
import static dev.holdfast.testkit.FixtureTree.Kind.TERM_IGNORER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.FixtureTree;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.Witnessed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever ends the JVM, its trees end with it. */
@Witnessed
class JvmDeathTest {
  @TempDir private Path dir;

  @ParameterizedTest
  @EnumSource
  void o1_jvmEnds_treesEnd(Death death, Marker marker) {
    var trees = new ArrayList<FixtureTree>();
    trees.add(
        FixtureTree.of(
            SLEEPER,
            FixtureTree.of(TERM_IGNORER, FixtureTree.of(STOPPED)),
            FixtureTree.of(DOUBLE_FORKER, FixtureTree.of(LISTENER)),
            FixtureTree.of(PIPE_HOLDER)));
    trees.add(FixtureTree.of(STOPPED, FixtureTree.of(TERM_IGNORER)));
    trees.add(FixtureTree.of(LISTENER, FixtureTree.of(SHELL)));
    trees.add(FixtureTree.of(SETSID, FixtureTree.of(SLEEPER)));
    if (death.runsHooks()) { // a session below the leader is out of the kernel wire's reach
      trees.add(FixtureTree.of(TERM_IGNORER, FixtureTree.of(SETSID, FixtureTree.of(SLEEPER))));
    }
    try (var bystander = Bystander.start();
        var owner = Owner.start(Owner.builder(marker, argv(trees, marker)), marker)) {
      owner.awaitLines("ready", trees.size());
      owner.others().awaitLive(trees.stream().mapToInt(FixtureTree::lasting).sum(), Owner.SOON);

      assertThat(owner.die(death)).isEqualTo(death.status());

      if (death.runsHooks()) {
        owner.others().assertNone();
      } else {
        owner.others().awaitGone(Owner.SOON);
      }
      bystander.assertUnharmed();
    }
  }

  @ParameterizedTest
  @EnumSource
  void o2_jvmEnds_itsPortsCanBeBoundAgain(Death death, Marker marker) throws IOException {
    var trees =
        List.of(
            FixtureTree.of(LISTENER),
            FixtureTree.of(TERM_IGNORER, FixtureTree.of(DOUBLE_FORKER, FixtureTree.of(LISTENER))));
    try (var bystander = Bystander.start();
        var owner = Owner.start(Owner.builder(marker, argv(trees, marker)), marker)) {
      owner.awaitLines("ready", trees.size());
      var ports =
          owner.awaitLines("listening ", 2).stream()
              .map(line -> Integer.parseInt(line.substring("listening ".length())))
              .toList();
      for (int port : ports) {
        assertThat(canBeBound(port, false)).isFalse();
      }
      connect(ports.getLast());

      owner.die(death);

      owner.others().awaitGone(Owner.SOON);
      assertThat(canBeBound(ports.getFirst(), false)).isTrue();
      assertThat(canBeBound(ports.getLast(), true)).isTrue(); // its connection may be in TIME_WAIT
      bystander.assertUnharmed();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"INT", "TERM", "HUP"})
  void o3_signal_jvmEndsAsWithoutUsAfterItsTrees(Death death, Marker marker) {
    var cleaned = dir.resolve("cleaned");
    var cleaner =
        Fixture.command(
            marker,
            "trap",
            "TERM",
            "[",
            "sleep",
            "0.3",
            "touch",
            cleaned.toString(),
            "exit",
            "0",
            "]",
            "say",
            "ready",
            "forever");
    var ignorer = FixtureTree.of(TERM_IGNORER).argv(marker);
    try (var bystander = Bystander.start();
        var owner =
            Owner.start(
                Owner.builder(marker, cleaner, ignorer).systemProperty(OwnerVictim.GRACE, "1000"),
                marker)) {
      owner.awaitLines("ready", 2);

      var status = owner.die(death);

      assertThat(cleaned).exists();
      owner.others().assertNone();
      assertThat(status).isEqualTo(death.status());
      bystander.assertUnharmed();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"KILL", "TERM"})
  void o10_busyOrphan_ends(Death death, Marker marker) {
    var shell = Fixture.shell(marker, "while :; do :; done");
    var orphan = Fixture.command(marker, "doublestart", "[", "up", "busy", "300", "]", "say", "up");
    try (var bystander = Bystander.start();
        var owner = Owner.start(Owner.builder(marker, shell, orphan), marker)) {
      owner.awaitLines("up", 1);
      owner.others().awaitLive(2, Owner.SOON);

      owner.die(death);

      owner.others().awaitGone(Owner.SOON);
      bystander.assertUnharmed();
    }
  }

  @Test
  void orph01_jvmKilled_sleepGoes(Marker marker) {
    assertGoesWithItsJvm(Owner.builder(marker, Fixture.program(marker, "sleep", "300")), marker, 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"KILL", "INT", "TERM", "HUP"})
  void orph02_jvmInJvm_bothAndTheSleepGo(Death death, Marker marker) {
    var inner = new ArrayList<>(List.of(OwnerVictim.OWNER));
    inner.addAll(Fixture.program(marker, "sleep", "300"));
    try (var bystander = Bystander.start();
        var owner =
            Owner.start(
                Owner.builder(marker, inner).systemProperty(OwnerVictim.GRACE, "10000"), marker)) {
      owner.awaitLines("owner up", 2);
      owner.others().awaitLive(2, Owner.SOON);

      assertThat(owner.die(death)).isEqualTo(death.status());

      owner.others().awaitGone(Owner.SOON);
      bystander.assertUnharmed();
    }
  }

  @Test
  void orph05_childWithoutStdio_goes(Marker marker) {
    var shell = Fixture.shell(marker, "echo ready; exec <&- >&- 2>&-; sleep 300; :");
    assertGoesWithItsJvm(Owner.builder(marker, shell), marker, 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"empty", "inherit"})
  void orph12_stdinNullOrInherited_goes(String stdin, Marker marker) {
    assertGoesWithItsJvm(
        Owner.builder(marker, Fixture.program(marker, "sleep", "300"))
            .systemProperty(OwnerVictim.STDIN, stdin),
        marker,
        1);
  }

  /** The owner's whole group is killed, as a terminal or a CI's runner does it. */
  @Test
  void tree10_groupOfTheJvmKilled_treesGo(Marker marker) throws Exception {
    var tree = FixtureTree.of(TERM_IGNORER, FixtureTree.of(SLEEPER));
    try (var bystander = Bystander.start();
        var owner = Owner.start(Owner.builder(marker, tree.argv(marker)).under("setsid"), marker)) {
      owner.awaitLines("ready", 1);
      owner.others().awaitLive(2, Owner.SOON);
      var group = owner.jvm().pid();
      assertThat(dev.holdfast.testkit.Census.group(group))
          .extracting(ProcessEntry::pid)
          .containsExactly(group);

      var killer = new ProcessBuilder("/bin/kill", "-KILL", "--", "-" + group).inheritIO().start();

      assertThat(killer.waitFor()).isZero();
      assertThat(owner.jvm().waitStatus(Owner.SOON)).isEqualTo(Death.KILL.status());
      owner.others().awaitGone(Owner.SOON);
      bystander.assertUnharmed();
    }
  }

  private static void assertGoesWithItsJvm(
      dev.holdfast.testkit.VictimJvmBuilder builder, Marker marker, int processes) {
    try (var bystander = Bystander.start();
        var owner = Owner.start(builder, marker)) {
      owner.others().awaitLive(processes, Owner.SOON);

      owner.die(Death.KILL);

      owner.others().awaitGone(Owner.SOON);
      bystander.assertUnharmed();
    }
  }

  @SuppressWarnings("unchecked")
  private static List<String>[] argv(List<FixtureTree> trees, Marker marker) {
    return trees.stream().map(tree -> tree.argv(marker)).toArray(List[]::new);
  }

  private static boolean canBeBound(int port, boolean reuse) throws IOException {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(reuse);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (java.net.BindException e) {
      return false;
    }
  }

  private static void connect(int port) throws IOException {
    new Socket(InetAddress.getLoopbackAddress(), port).close();
  }
}
