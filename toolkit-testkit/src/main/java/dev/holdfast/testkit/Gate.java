package dev.holdfast.testkit;

import dev.holdfast.scope.HaltPoint;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * An action that holds the thread at a halt point until the test opens the gate, so that a test can
 * order what two threads do without sleeping.
 *
 * <pre>{@code
 * try (var gate = new Gate(); var injector = HaltInjector.at("spawn.published", 1, gate)) {
 *   var spawner = Thread.ofVirtual().start(...);
 *   gate.awaitReached();
 *   scope.halt();
 *   gate.open();
 * }
 * }</pre>
 *
 * <p>Thread-safe. An interrupt of the thread that is held is kept for when it goes on.
 */
public final class Gate implements HaltInjector.Action, AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  /** Makes a closed gate. */
  public Gate() {}

  @Override
  public void strike(HaltPoint point) {
    reached.countDown();
    await(open, "The gate at " + point.name() + " was not opened");
  }

  /**
   * Waits until a thread stands at the gate.
   *
   * @throws AssertionError if none comes within 30 seconds
   */
  public void awaitReached() {
    await(reached, "No thread has reached the gate");
  }

  /** Lets the thread go on, and any later one pass. Idempotent. */
  public void open() {
    open.countDown();
  }

  /** Opens the gate. */
  @Override
  public void close() {
    open();
  }

  private static void await(CountDownLatch latch, String otherwise) {
    if (!Uninterrupted.await(latch, System.nanoTime() + LIMIT.toNanos())) {
      throw new AssertionError(otherwise + " within " + LIMIT + ".");
    }
  }
}
