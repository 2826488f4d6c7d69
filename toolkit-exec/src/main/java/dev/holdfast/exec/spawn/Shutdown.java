package dev.holdfast.exec.spawn;

import dev.holdfast.exec.reactor.Reactor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library's one shutdown hook. It asks every child at once to end, waits for processes alone,
 * never for a thread or an owner, and goes to KILL when half of the budget is over.
 */
public final class Shutdown {
  private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

  /** For all scopes together, unless {@link #allow} has given more. */
  private static final long BUDGET_NANOS = 10_000_000_000L;

  private static final long FORCE_NANOS = 2_000_000_000L;

  private static volatile long budgetNanos = BUDGET_NANOS;
  private static volatile boolean begun;

  static {
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().name("holdfast-shutdown").unstarted(Shutdown::run));
  }

  private Shutdown() {}

  /** Installs the hook; later calls do nothing. */
  public static void install() {
    assert Reactor.get() != null;
  }

  /**
   * Lets the hook take longer than the usual 10 s, so that a long ladder is climbed to its end. For
   * a program that owns its JVM.
   *
   * @param graceNanos how long the longest ladder waits before KILL
   */
  public static void allow(long graceNanos) {
    long ladder = Math.min(graceNanos, SpawnPlan.FOR_EVER) + 2 * FORCE_NANOS;
    budgetNanos = Math.max(BUDGET_NANOS, ladder);
  }

  static void refuseIfBegun() {
    if (begun) {
      throw new LaunchFailure(
          LaunchFailure.Reason.RESOURCES, 0, "The JVM is shutting down and starts nothing more.");
    }
  }

  private static void run() {
    begun = true;
    Reactor reactor = Reactor.get();
    reactor.shutDownAll();
    try {
      if (!reactor.awaitNoneVital(budgetNanos - FORCE_NANOS)) {
        reactor.postToVital(Supervision.KILL);
        if (!reactor.awaitNoneVital(FORCE_NANOS)) {
          LOG.warn("Some children have not ended within the JVM's shutdown budget.");
        }
      }
    } catch (InterruptedException e) {
      reactor.postToVital(Supervision.KILL);
    }
  }
}
