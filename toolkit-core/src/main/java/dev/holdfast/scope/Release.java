package dev.holdfast.scope;

/**
 * Ends a resource.
 *
 * @param <T> the type of the resource
 */
@FunctionalInterface
public interface Release<T> {
  /**
   * Ends the resource.
   *
   * @param resource what was acquired
   * @throws Exception thrown by the scope's {@code close} after all other clean-ups have run
   */
  void release(T resource) throws Exception;
}
