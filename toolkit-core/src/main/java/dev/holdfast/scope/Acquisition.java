package dev.holdfast.scope;

/**
 * Makes a resource.
 *
 * @param <T> the type of the resource
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface Acquisition<T, X extends Exception> {
  /**
   * Makes the resource.
   *
   * @return the resource
   * @throws X when it can't be made; then there is nothing to release
   */
  T acquire() throws X;
}
