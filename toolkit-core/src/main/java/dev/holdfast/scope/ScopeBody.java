package dev.holdfast.scope;

import org.jspecify.annotations.Nullable;

/**
 * What a forked task does, with a nested scope of its own.
 *
 * @param <T> the type of its result
 */
@FunctionalInterface
public interface ScopeBody<T extends @Nullable Object> {
  /**
   * Runs on a virtual thread of its own.
   *
   * @param inner the nested scope, closed when this returns or throws
   * @return the result
   * @throws Exception the failure of the task
   */
  T run(Scope inner) throws Exception;
}
