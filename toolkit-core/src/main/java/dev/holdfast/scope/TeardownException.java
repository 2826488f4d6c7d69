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

  /** The same in one sentence. */
  private final String sentence;

  TeardownException(String scope, List<String> survivors) {
    this(scope, survivors.toArray(String[]::new), String.join("; ", survivors));
  }

  private TeardownException(String scope, String[] survivors, String sentence) {
    super("Scope '%s' could not end: %s. All else in it is gone.".formatted(scope, sentence));
    this.survivors = survivors;
    this.sentence = sentence;
  }

  String sentence() {
    return sentence;
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
