package dev.holdfast.scope;

import org.jspecify.annotations.Nullable;

/**
 * Collects what goes wrong in steps that must all be tried: the first is thrown, the others are
 * suppressed.
 */
final class Failures {
  /** A step of clean-up. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  private @Nullable Throwable first;

  void pass(HaltPoint point) {
    try {
      point.pass();
    } catch (Throwable t) {
      add(t);
    }
  }

  void attempt(Step step) {
    try {
      step.run();
    } catch (Throwable t) {
      add(t);
    }
  }

  void add(@Nullable Throwable t) {
    if (t == null || t == first) {
      return;
    }
    if (first == null) {
      first = t;
    } else {
      suppress(first, t);
    }
  }

  private static void suppress(Throwable first, Throwable t) {
    try {
      first.addSuppressed(t);
    } catch (OutOfMemoryError e) {
      // The first failure is told; there is no memory to tell the others.
    }
  }

  @Nullable Throwable first() {
    return first;
  }

  void rethrow() {
    if (first != null) {
      Failures.<RuntimeException>throwUnchecked(first);
    }
  }

  /** A finalizer's checked exception passes as it is: {@code close} declares none. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Throwable> void throwUnchecked(Throwable t) throws X {
    throw (X) t;
  }
}
