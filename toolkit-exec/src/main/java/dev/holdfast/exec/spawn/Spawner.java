package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.scope.HaltPoint;
import dev.holdfast.scope.KillPoint;
import dev.holdfast.scope.Scope;

/**
 * Brings up a child so that no halt, Error or death of the JVM at any moment can lose it.
 *
 * <ol>
 *   <li>Prepare: everything that can be refused or that teardown will need.
 *   <li>Arm: the slot joins the scope; from here on its teardown is in force.
 *   <li>Spawn: {@code posix_spawn} writes the pid into a cell that the teardown knows.
 *   <li>Publish: one bit, which cannot fail. On any Throwable the cell decides whether there is a
 *       child to be adopted and stopped, or none.
 * </ol>
 *
 * <p>Between arming and publication nothing waits, locks, parks or allocates what could be refused.
 */
public final class Spawner {
  private static final HaltPoint BEGIN = HaltPoint.named("spawn.begin");
  private static final HaltPoint PREPARED = HaltPoint.named("spawn.prepared");
  private static final KillPoint ARMED = KillPoint.named("spawn.armed");
  private static final KillPoint CALLED = KillPoint.named("spawn.called");
  private static final KillPoint LEADER_ARMED = KillPoint.named("spawn.leader-armed");
  private static final KillPoint POSTED = KillPoint.named("spawn.posted");
  private static final HaltPoint PUBLISHED = HaltPoint.named("spawn.published");
  private static final HaltPoint PAUSE = HaltPoint.named("spawn.pause");
  private static final HaltPoint PAUSED = HaltPoint.named("spawn.paused");

  private static final int TRIES = 10;
  private static final long FIRST_PAUSE_MILLIS = 1;
  private static final long BUDGET_NANOS = 500_000_000L;

  private Spawner() {}

  /**
   * Spawns. Any thread.
   *
   * @param scope who is to own the child
   * @param plan what to spawn
   * @param openEnds where the caller's pipe ends are kept
   * @param cookie the child's own id
   * @return the child, running or already exited
   * @throws LaunchFailure when it can't be started
   * @throws dev.holdfast.scope.ScopeHaltedException when the scope is halted; what was started
   *     meanwhile is being ended
   */
  public static Child spawn(Scope scope, SpawnPlan plan, OpenEnds openEnds, String cookie) {
    BEGIN.pass();
    scope.refuseIfHalted();
    Child child;
    Births.begin();
    try {
      child = bringUp(scope, plan, openEnds, cookie);
    } finally {
      Births.end();
    }
    PUBLISHED.pass();
    scope.refuseIfHalted();
    return child;
  }

  private static Child bringUp(Scope scope, SpawnPlan plan, OpenEnds openEnds, String cookie) {
    Child child = Child.prepare(plan, openEnds, cookie);
    boolean published = false;
    try {
      PREPARED.pass();
      attempts(scope, child, plan);
      published = true;
      return child;
    } finally {
      child.handedOver = true;
      if (!published) {
        child.giveUp();
      }
    }
  }

  private static void attempts(Scope scope, Child child, SpawnPlan plan) {
    long start = System.nanoTime();
    long pause = FIRST_PAUSE_MILLIS;
    for (int attempt = 1; ; attempt++) {
      int errno = attempt(scope, child);
      if (errno == 0) {
        return;
      }
      boolean again =
          (errno == Errno.ETXTBSY || errno == Errno.EAGAIN)
              && attempt < TRIES
              && System.nanoTime() - start < BUDGET_NANOS;
      if (!again || !pause(pause)) {
        throw ProgramLookup.diagnose(errno, plan.path());
      }
      pause *= 2;
    }
  }

  /** One attempt: 0, or the errno of the call; the slot has left the scope then. */
  private static int attempt(Scope scope, Child child) {
    child.armIn(scope);
    ARMED.pass();
    int errno = child.run();
    CALLED.pass();
    if (errno == 0) {
      child.armLeader();
      LEADER_ARMED.pass();
      child.publish();
      POSTED.pass();
    } else {
      child.unarm();
    }
    return errno;
  }

  /** False when interrupted: the flag is kept and there is no further attempt. */
  private static boolean pause(long millis) {
    PAUSE.pass();
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    PAUSED.pass();
    return true;
  }
}
