package dev.holdfast.exec;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs as one task of a scope and gets a nested scope of its own for its processes.
 *
 * @param <T> what the body returns
 */
@FunctionalInterface
public interface ScopedBody<T extends @Nullable Object> {
  /**
   * Runs the body on a virtual thread of its own.
   *
   * @param scope the body's own scope, owned by this thread; it is closed, and every process in it
   *     ended, when this method returns or throws
   * @return the value of the task
   * @throws Exception whatever the body fails with; the failure becomes the failure of the task
   */
  T run(ExecScope scope) throws Exception;
}
