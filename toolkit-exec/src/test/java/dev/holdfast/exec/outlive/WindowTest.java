package dev.holdfast.exec.outlive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;
import dev.holdfast.exec.StopPolicy;
import dev.holdfast.exec.libc.Native;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.CpuStress;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.FixtureTree;
import dev.holdfast.testkit.KillPoints;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import dev.holdfast.testkit.VictimJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What stays open, and how long things take. */
class WindowTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  private static final Logger LOG = LoggerFactory.getLogger(WindowTest.class);
  private static final int KILLS = 20;
  private static final int SPAWNS = 1000;

  /**
   * The one window that is known: a leader that makes a session of its own, in a JVM that dies
   * between the return of the call and the arming for the leader's pid, which is its next step.
   */
  @Test
  void orph21_jvmKilledBetweenSpawnAndArmingOfTheLeader_sessionOfItsOwnStays(Marker marker) {
    var builder =
        VictimJvm.builder(SpawnVictim.class)
            .marker(marker)
            .systemProperty(KillPoints.PROPERTY, "spawn.called#1");
    Fixture.program(marker, "setsid", "sleep", "300").forEach(builder::arg);
    try (var victim = builder.start()) {
      victim.await("KILLPOINT", Owner.SOON);
      var others = Census.of(marker).except(victim.pid());
      Owner.await(() -> others.live().stream().anyMatch(WindowTest::leadsASession));

      victim.kill();
      victim.waitStatus(Owner.SOON);

      assertThat(others.endAll()).hasSize(1);
    }
  }

  private static boolean leadsASession(ProcessEntry entry) {
    return entry.sid() == entry.pid() && entry.command().equals("sleep 300");
  }

  /** How long that window is, and how often a leader is quick enough to get into it. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void orph21_windowOfASessionLeader_isMeasured(boolean loaded, ExecScope scope, Marker marker) {
    var command =
        Command.of("/usr/bin/setsid", "sleep", "300")
            .env(marker.environment())
            .stdout(Output.discard())
            .stderr(Output.discard())
            .stop(StopPolicy.kill());
    var clock = new ArmingClock();
    try (var load = CpuStress.start(loaded ? 2 * Runtime.getRuntime().availableProcessors() : 0);
        var watched = Native.intercept(clock::watching)) {
      assertThat(load).isNotNull();
      assertThat(watched).isNotNull();
      for (int i = 0; i < SPAWNS; i++) {
        scope.spawn(command).kill();
      }
    }
    var micros = clock.micros().stream().sorted().toList();
    assertThat(micros).hasSize(SPAWNS);
    LOG.info(
        "{}: {} spawns of setsid; from the call's return to the arming for the leader's pid"
            + " median {} us, 99 % {} us, longest {} us; {} leaders had made their session by then",
        loaded ? "under load" : "idle",
        SPAWNS,
        micros.get(SPAWNS / 2),
        micros.get(SPAWNS * 99 / 100),
        micros.getLast(),
        clock.leftBefore());
    assertThat(clock.leftBefore()).isLessThan(SPAWNS / 10);
  }

  /** From the SIGKILL of the JVM to the end of the last member, which ignores TERM. */
  @Tag("long")
  @Test
  void orph01_timeFromKillToTheEndOfTheLastMember_isMeasured(Marker marker) throws IOException {
    var tree =
        FixtureTree.of(
            FixtureTree.Kind.TERM_IGNORER,
            FixtureTree.of(FixtureTree.Kind.TERM_IGNORER),
            FixtureTree.of(FixtureTree.Kind.STOPPED));
    var micros = new ArrayList<Long>();
    for (int i = 0; i < KILLS; i++) {
      try (var owner = Owner.start(Owner.builder(marker, tree.argv(marker)), marker)) {
        owner.awaitLines("ready", 1);
        var members = owner.others().awaitLive(3, Owner.SOON);
        var start = System.nanoTime();
        owner.jvm().kill();
        for (ProcessEntry member : members) {
          while (isLive(member.pid())) {
            Thread.onSpinWait();
          }
        }
        micros.add((System.nanoTime() - start) / 1000);
      }
    }
    micros.sort(null);
    LOG.info(
        "From kill -9 to the end of the last of 3 members, {} times: median {} us, longest {} us",
        KILLS,
        micros.get(KILLS / 2),
        micros.getLast());
    assertThat(micros.get(KILLS / 2)).isLessThan(2_000_000);
  }

  private static boolean isLive(long pid) throws IOException {
    try {
      var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) { // it ended between open and read
      return List.of("No such process").contains(e.getMessage()) ? false : isLive(pid);
    }
  }
}
