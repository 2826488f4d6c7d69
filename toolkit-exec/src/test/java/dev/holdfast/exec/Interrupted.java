package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that is interrupted once it waits in Holdfast.
 *
 * @param value what it returned
 * @param thrown what it threw
 * @param flag whether the thread's interrupt flag was set at its end
 * @param took from the interrupt to the end
 */
record Interrupted<T>(@Nullable T value, @Nullable Throwable thrown, boolean flag, Duration took) {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Where the call runs. */
  enum On {
    PLATFORM,
    VIRTUAL;

    Thread.Builder threads() {
      return this == VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform();
    }
  }

  /** Interrupts the call while it waits. */
  static <T> Interrupted<T> during(On on, Callable<T> call) throws InterruptedException {
    return during(on, call, () -> true);
  }

  /** Interrupts the call while it waits, once the condition holds. */
  static <T> Interrupted<T> during(On on, Callable<T> call, BooleanSupplier once)
      throws InterruptedException {
    var box = new Box<>(call);
    Thread thread = on.threads().name("interrupted").start(box);
    await().atMost(LIMIT).until(() -> once.getAsBoolean() && waitsInHoldfast(thread));
    return box.interrupt(thread);
  }

  /** Makes the call with the flag set. */
  static <T> Interrupted<T> before(On on, Callable<T> call) throws InterruptedException {
    var box =
        new Box<>(
            () -> {
              Thread.currentThread().interrupt();
              return call.call();
            });
    Thread thread = on.threads().name("interrupted").start(box);
    thread.join(LIMIT);
    return box.outcome(thread, Duration.ZERO);
  }

  private static boolean waitsInHoldfast(Thread thread) {
    assertThat(thread.isAlive()).as("the thread that is to be interrupted").isTrue();
    Thread.State state = thread.getState();
    return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
        && Arrays.stream(thread.getStackTrace())
            .map(StackTraceElement::getClassName)
            .anyMatch(name -> name.matches("dev\\.holdfast\\.(scope|exec\\.(spawn|reactor))\\..*"));
  }

  private static final class Box<T> implements Runnable {
    private final Callable<T> call;
    private @Nullable T value;
    private @Nullable Throwable thrown;
    private boolean flag;

    Box(Callable<T> call) {
      this.call = call;
    }

    @Override
    public void run() {
      try {
        value = call.call();
      } catch (Throwable t) {
        thrown = t;
      }
      flag = Thread.currentThread().isInterrupted();
    }

    Interrupted<T> interrupt(Thread thread) throws InterruptedException {
      Clock clock = Clock.start();
      thread.interrupt();
      boolean ended = thread.join(LIMIT);
      Duration took = clock.elapsed();
      assertThat(ended).as("the interrupted call has ended").isTrue();
      return outcome(thread, took);
    }

    Interrupted<T> outcome(Thread thread, Duration took) {
      assertThat(thread.isAlive()).as("the interrupted thread lives").isFalse();
      return new Interrupted<>(value, thrown, flag, took);
    }
  }
}
