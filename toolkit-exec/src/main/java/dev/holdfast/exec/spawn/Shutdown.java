package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.FreshStack;
import dev.holdfast.exec.libc.Native;
import dev.holdfast.exec.reactor.Reactor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library's one shutdown hook. It asks every child at once to end, waits for processes alone,
 * never for a thread or an owner, and goes to KILL two seconds before the budget is over.
 */
public final class Shutdown {
  private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

  /** For all scopes together, unless {@link #allow} has given more. */
  private static final long BUDGET_NANOS = 10_000_000_000L;

  private static final long FORCE_NANOS = 2_000_000_000L;

  private static volatile long budgetNanos = BUDGET_NANOS;
  private static volatile boolean begun;
  private static volatile boolean installed;

  /** Installed once, and never when the platform is not supported. */
  private static final class Hook {
    static {
      Reactor reactor = Reactor.get();
      Thread hook = Thread.ofPlatform().name("holdfast-shutdown").unstarted(() -> run(reactor));
      try {
        Runtime.getRuntime().addShutdownHook(hook);
      } catch (IllegalStateException e) {
        begun = true; // the JVM is shutting down already
      }
    }
  }

  private Shutdown() {}

  /**
   * Starts what looks after processes, and installs the hook; later calls do nothing.
   *
   * @throws dev.holdfast.exec.libc.UnsupportedPlatformException when this machine is below the
   *     floor
   */
  public static void install() {
    if (installed) {
      return;
    }
    Native.libc(); // refuses each time anew, where a class that failed to initialize could not
    Throwable failure = FreshStack.run("holdfast-start", () -> FreshStack.initialize(Hook.class));
    if (failure != null) {
      throw new IllegalStateException("Holdfast's reactor could not be started.", failure);
    }
    installed = true;
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

  private static void run(Reactor reactor) {
    begun = true;
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
