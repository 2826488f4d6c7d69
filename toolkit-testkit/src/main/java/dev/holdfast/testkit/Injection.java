package dev.holdfast.testkit;

import dev.holdfast.scope.HaltPoint;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What may strike a thread that passes a halt point. */
public enum Injection {
  /** Interrupts the thread that passes. */
  INTERRUPT {
    @Override
    void strike(HaltPoint point, Target target) {
      Thread.currentThread().interrupt();
    }
  },
  /** Interrupts the owner of the scope, whichever thread passes. */
  INTERRUPT_OWNER {
    @Override
    void strike(HaltPoint point, Target target) {
      target.owner().interrupt();
    }
  },
  /** Halts from another thread, and waits until the halt has returned. */
  HALT {
    @Override
    void strike(HaltPoint point, Target target) {
      elsewhere(this, point, target.halt());
    }
  },
  /** Halts on the thread that passes. */
  HALT_HERE {
    @Override
    void strike(HaltPoint point, Target target) {
      target.halt().run();
    }
  },
  /** Lets the time run out from another thread, and waits until that has returned. */
  TIMEOUT {
    @Override
    void strike(HaltPoint point, Target target) {
      elsewhere(this, point, target.timeout());
    }
  },
  /** Throws an {@link InjectedError}. */
  ERROR {
    @Override
    void strike(HaltPoint point, Target target) {
      throw new InjectedError(point.name());
    }
  },
  /** Throws a StackOverflowError; the stack itself is not used up. */
  STACK_OVERFLOW {
    @Override
    void strike(HaltPoint point, Target target) {
      throw new StackOverflowError("injected at halt point " + point.name());
    }
  },
  /** Throws an OutOfMemoryError; the heap itself is not used up. */
  OUT_OF_MEMORY {
    @Override
    void strike(HaltPoint point, Target target) {
      throw new OutOfMemoryError("injected at halt point " + point.name());
    }
  };

  private static final Duration LIMIT = Duration.ofSeconds(10);

  /**
   * Whom an injection strikes.
   *
   * @param owner the thread that owns the scope
   * @param halt halts the scope, as in {@code scope::halt}; called on any thread
   * @param timeout makes the scope's time run out; called on any thread
   */
  public record Target(Thread owner, Runnable halt, Runnable timeout) {

    /** Checks for null. */
    public Target {
      Objects.requireNonNull(owner, "owner");
      Objects.requireNonNull(halt, "halt");
      Objects.requireNonNull(timeout, "timeout");
    }

    /**
     * A target whose time runs out by a halt, owned by the calling thread.
     *
     * @param halt halts the scope
     * @return the target
     */
    public static Target ownedHere(Runnable halt) {
      return new Target(Thread.currentThread(), halt, halt);
    }
  }

  /**
   * This injection as an action for a {@link HaltInjector}.
   *
   * @param target whom it strikes
   * @return the action
   */
  public HaltInjector.Action on(Target target) {
    return on(() -> target);
  }

  /**
   * This injection as an action, for a target that is not known yet.
   *
   * @param target asked when the injection strikes, on the thread that passes
   * @return the action
   */
  public HaltInjector.Action on(Supplier<Target> target) {
    return point -> strike(point, target.get());
  }

  abstract void strike(HaltPoint point, Target target);

  private static void elsewhere(Injection kind, HaltPoint point, Runnable action) {
    var failure = new AtomicReference<@Nullable Throwable>();
    var thread =
        Thread.ofPlatform()
            .daemon()
            .name("injected-" + kind)
            .uncaughtExceptionHandler((t, thrown) -> failure.set(thrown))
            .start(action);
    if (!Uninterrupted.join(thread, LIMIT)) {
      var stuck =
          new AssertionError(
              "The %s that was injected at %s has not returned within %s: something is held there that it needs."
                  .formatted(kind, point.name(), LIMIT));
      stuck.setStackTrace(thread.getStackTrace());
      throw stuck;
    }
    var thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError(
          "The %s injected at %s threw.".formatted(kind, point.name()), thrown);
    }
  }
}
