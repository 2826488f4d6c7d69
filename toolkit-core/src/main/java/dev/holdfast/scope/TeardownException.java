package dev.holdfast.scope;

import java.util.List;

/**
 * Thrown by {@code close} when something outlived its teardown, as a process in state D that does
 * not even obey SIGKILL. Everything else in the scope has been ended.
 */
public final class TeardownException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What survived. */
  private final String[] survivors;

  TeardownException(String scope, List<String> survivors) {
    super(
        "Scope '%s' could not end: %s. All else in it is gone."
            .formatted(scope, String.join("; ", survivors)));
    this.survivors = survivors.toArray(String[]::new);
  }

  /**
   * What survived.
   *
   * @return one sentence each; for processes with pid, state and command
   */
  public List<String> survivors() {
    return List.of(survivors);
  }
}
