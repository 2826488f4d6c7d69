package dev.holdfast.exec.cli;

import dev.holdfast.exec.ExecException;

/** Exit statuses of our own, as {@code timeout(1)} and {@code env(1)} have them. */
final class Status {
  /** The command's time was up. */
  static final int TIMED_OUT = 124;

  /** Holdfast itself has failed, or was called in a wrong way. */
  static final int OWN_FAILURE = 125;

  /** The program is there and can't be run. */
  static final int NOT_EXECUTABLE = 126;

  /** There is no such program. */
  static final int NOT_FOUND = 127;

  private Status() {}

  static int of(ExecException.Reason reason) {
    return switch (reason) {
      case NOT_FOUND -> NOT_FOUND;
      case NOT_EXECUTABLE, BAD_INTERPRETER, NO_SHEBANG -> NOT_EXECUTABLE;
      default -> OWN_FAILURE;
    };
  }
}
