package dev.holdfast.scope;

import org.jspecify.annotations.Nullable;

/**
 * A forked body and, after its end, its result.
 *
 * @param <T> the type of the result
 */
public sealed interface Task<T extends @Nullable Object> permits Body {
  /** How far a task is. */
  enum State {
    /** The body, or the close of its nested scope, has not ended. */
    RUNNING,
    /** The body has returned a result. */
    SUCCEEDED,
    /** The body, or the close of its nested scope, has thrown. */
    FAILED
  }

  /**
   * The result. Any thread; never waits.
   *
   * @return what the body returned
   * @throws IllegalStateException when the body has not ended: join its scope first
   * @throws ScopeFailedException when the body has failed; the cause is what it threw
   */
  T get();

  /**
   * How far the task is. Any thread; never waits.
   *
   * @return the state
   */
  State state();
}
