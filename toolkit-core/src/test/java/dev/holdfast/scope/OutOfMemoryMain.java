package dev.holdfast.scope;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Fills a small heap, uses and closes a scope while it is full, and frees it some time after the
 * close has begun. Prints {@code held} when nothing was lost in any round, or what was.
 */
final class OutOfMemoryMain {
  private static final int SLOTS = 8;
  private static final int FINALIZERS = 40;
  private static final int ENOUGH = 6;

  private static final AtomicInteger ALIVE = new AtomicInteger();
  private static final AtomicInteger FINALIZED = new AtomicInteger();
  private static final Owned[] PUBLISHED = new Owned[SLOTS];
  private static final Object[] HELD = new Object[1 << 16];
  private static int held;
  private static int errors;

  private OutOfMemoryMain() {}

  private static final class Owned extends Slot {
    private volatile boolean asked;
    private volatile boolean exists;

    Owned() {
      super(true);
    }

    @Override
    protected void halt(Cause cause) {
      asked = true;
    }

    void make(Scope scope) {
      arm(scope);
      ALIVE.getAndIncrement();
      exists = true;
    }

    void react() {
      if (exists && asked) {
        exists = false;
        ALIVE.getAndDecrement();
        leave();
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Thread.ofPlatform().daemon().name("reactor").start(OutOfMemoryMain::react);
    int rounds = Integer.parseInt(args[0]);
    for (int i = 0; i < 50; i++) {
      round(i, false);
    }
    errors = 0;
    long start = System.nanoTime();
    for (int i = 0; i < rounds; i++) {
      String lost = round(i, true);
      if (lost != null) {
        System.out.println("round " + i + ": " + lost);
        Runtime.getRuntime().halt(1);
      }
    }
    System.out.printf(
        "held, with %d OutOfMemoryErrors in %d rounds, %d ms%n",
        errors, rounds, (System.nanoTime() - start) / 1_000_000);
  }

  private static void react() {
    while (true) {
      for (Owned slot : PUBLISHED) {
        if (slot != null) {
          slot.react();
        }
      }
      LockSupport.parkNanos(100_000);
    }
  }

  private static @Nullable String round(int number, boolean full) throws InterruptedException {
    FINALIZED.set(0);
    int[] registered = new int[1];
    CountDownLatch closing = new CountDownLatch(1);
    Owned[] slots = new Owned[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new Owned();
    }
    Finalizer finalizer = FINALIZED::getAndIncrement;
    Thread owner =
        Thread.ofPlatform()
            .daemon()
            .start(() -> use(number, full, registered, closing, slots, finalizer));
    closing.await();
    TimeUnit.MILLISECONDS.sleep(full ? number % 3 * 10 : 0);
    free();
    boolean ended = owner.join(java.time.Duration.ofSeconds(20));
    if (!ended) {
      for (StackTraceElement frame : owner.getStackTrace()) {
        System.out.println("    at " + frame);
      }
      return "the close hangs; alive " + ALIVE + ", finalized " + FINALIZED;
    }
    if (ALIVE.get() != 0) {
      return ALIVE + " resources are left";
    }
    return FINALIZED.get() == registered[0]
        ? null
        : "of " + registered[0] + " finalizers ran " + FINALIZED;
  }

  private static void use(
      int number,
      boolean full,
      int[] registered,
      CountDownLatch closing,
      Owned[] slots,
      Finalizer finalizer) {
    try (Scope scope = Scope.open()) {
      scope.onClose(finalizer);
      registered[0]++;
      if (full) {
        fill(number % 5);
      }
      int refused = 0;
      for (int i = 0; i < FINALIZERS + SLOTS && refused < ENOUGH; i++) {
        try {
          if (i < SLOTS) {
            slots[i].make(scope);
            PUBLISHED[i] = slots[i];
          } else if (i % 8 == 0) {
            scope.fork(inner -> Thread.currentThread().isVirtual());
          } else {
            scope.onClose(finalizer);
            registered[0]++;
          }
        } catch (OutOfMemoryError e) {
          errors++;
          refused++;
        }
      }
      closing.countDown();
    } catch (Throwable t) {
      errors += isOutOfMemory(t) ? 1 : 0;
    } finally {
      closing.countDown();
    }
  }

  private static boolean isOutOfMemory(Throwable t) {
    for (Throwable cause = t; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  /** Takes all the memory but so many small pieces. */
  private static void fill(int pieces) {
    int size = 1 << 20;
    while (size >= 16 && held < HELD.length) {
      try {
        HELD[held] = new byte[size];
        held++;
      } catch (OutOfMemoryError e) {
        size >>= 2;
      }
    }
    for (int i = 0; i < pieces && held > 0; i++) {
      held--;
      HELD[held] = null;
    }
  }

  private static void free() {
    for (int i = 0; i < HELD.length; i++) {
      HELD[i] = null;
    }
    held = 0;
  }
}
