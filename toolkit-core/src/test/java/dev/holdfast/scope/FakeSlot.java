package dev.holdfast.scope;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A slot whose resource is imaginary: counts what it is asked, and ends when the test says so. */
class FakeSlot extends Slot {
  final AtomicInteger halts = new AtomicInteger();
  final CountDownLatch halted = new CountDownLatch(1);
  volatile @Nullable Cause cause;
  volatile @Nullable RuntimeException failure;
  volatile @Nullable String survivor;

  FakeSlot() {
    this(true);
  }

  FakeSlot(boolean joined) {
    super(joined);
  }

  static FakeSlot armedIn(Scope scope) {
    FakeSlot slot = new FakeSlot();
    slot.arm(scope);
    return slot;
  }

  @Override
  protected void halt(Cause why) {
    cause = why;
    halts.incrementAndGet();
    halted.countDown();
  }

  @Override
  protected boolean hasFailed() {
    return failure != null;
  }

  @Override
  protected @Nullable RuntimeException failure() {
    return failure;
  }

  @Override
  protected @Nullable String survivor() {
    return survivor;
  }

  FakeSlot endingWhenHalted() {
    return endingWhenHalted(() -> {});
  }

  /**
   * Leaves as soon as it is halted, after that action, from a thread of its own, as a reactor would
   * see to it.
   */
  FakeSlot endingWhenHalted(Runnable action) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                halted.await();
                action.run();
                leave();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    return this;
  }
}
