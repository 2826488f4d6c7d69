package dev.holdfast.scope;

/** A clean-up that a scope runs after everything in it is gone. */
@FunctionalInterface
public interface Finalizer {
  /**
   * Cleans up. Runs on the thread that closes the scope; it is never interrupted by the scope, and
   * one that blocks holds up the close.
   *
   * @throws Exception thrown by the scope's {@code close} after all other clean-ups have run
   */
  void run() throws Exception;
}
