package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.scope.KillPoint;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.ScopeExtension;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The field cases ZOMB, but for those of a JVM that is init. */
class ZombieFieldTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  private static final Duration SOON = Duration.ofSeconds(20);

  /** Joins a group of its parent's session, ends, and is not reaped by that parent. */
  private static final String ZOMBIE_IN_THE_LEADERS_GROUP =
      """
      import os, sys, time
      group = os.getpgrp()
      if os.fork() == 0:
          os.setpgid(0, 0)
          if os.fork() == 0:
              os.setpgid(0, group)
              os._exit(0)
          os.close(1)
          time.sleep(300)
      time.sleep(0.2)
      """;

  @Test
  void zomb02_scopeClosedAndHandlesDropped_noZombieIsLeft(Marker marker) {
    for (var i = 0; i < 20; i++) {
      try (var scope = Exec.scope()) {
        scope.spawn(Command.of("true"));
        scope.spawn(Command.of(Fixture.program(marker, "sleep", "300")));
        scope.spawn(Command.of(Fixture.shell(marker, "sleep 300 & sleep 300 & wait")));
      }
      assertThat(Census.zombies()).isEmpty();
    }
  }

  @Test
  void zomb03_ownExitedChild_lookedAtByPid_isDead(ExecScope scope) throws Exception {
    var held = new CountDownLatch(1);
    KillPoint.inject(
        point -> {
          if (point.name().equals("supervision.reap")) {
            awaitQuietly(held);
          }
        });
    try {
      var child = scope.spawn(Command.of("true"));
      var pid = Math.toIntExact(child.pid());
      await().atMost(SOON).until(() -> Census.zombies().size() == 1);

      assertThat(Census.process(pid)).get().returns('Z', ProcessEntry::state);
      assertThat(ProcStat.read(pid)).isNotNull().returns(true, ProcStat::isDead);
      held.countDown();
      assertThat(child.join().expectSuccess().status()).isEqualTo(new ExitStatus.Exited(0));
      assertThat(child.isAlive()).isFalse();
      assertThat(child.signal(Signal.TERM)).isFalse();
    } finally {
      held.countDown();
      KillPoint.inject(null);
    }
  }

  /** Signal 0 to its group succeeds, but nothing in it lives. */
  @Test
  void zomb03_groupOfAZombieThatNobodyReaps_isGone(ExecScope scope, Marker marker, Census census)
      throws Exception {
    var command =
        Command.of(Fixture.program(marker, "python3", "-c", ZOMBIE_IN_THE_LEADERS_GROUP))
            .containment(Containment.GROUP);
    try {
      var child = scope.spawn(command);
      child.join().expectSuccess();

      var zombie = Census.zombies(census.awaitLive(1, SOON).getFirst().pid());
      assertThat(zombie).hasSize(1);
      assertThat(Census.group(zombie.getFirst().pgid())).isEqualTo(zombie);
      assertThat(child.treeGone()).succeedsWithin(SOON);
    } finally {
      census.endAll();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
