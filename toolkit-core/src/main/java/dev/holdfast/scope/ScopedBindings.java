package dev.holdfast.scope;

/**
 * The {@link ScopedValue} bindings in force on the current thread, counted on its stack: the
 * platform tells a thread's bindings to nobody, and each has a frame of its carrier.
 */
final class ScopedBindings {
  private static final StackWalker STACK = StackWalker.getInstance();
  private static final String CARRIER = ScopedValue.Carrier.class.getName();

  private ScopedBindings() {}

  /** How many are in force; takes some microseconds. */
  static long count() {
    return STACK.walk(frames -> frames.filter(f -> f.getClassName().equals(CARRIER)).count());
  }
}
