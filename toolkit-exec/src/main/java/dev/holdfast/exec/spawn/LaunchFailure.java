package dev.holdfast.exec.spawn;

/** Why a program can't be started, before it becomes the public exception of the call. */
public final class LaunchFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of failure. */
  public enum Reason {
    NOT_FOUND,
    NOT_EXECUTABLE,
    BAD_INTERPRETER,
    NO_SHEBANG,
    BAD_WORKING_DIRECTORY,
    ARGUMENTS_TOO_LONG,
    BAD_ARGUMENT,
    BAD_ENVIRONMENT,
    RESOURCES
  }

  private final Reason reason;
  private final int errno;

  /**
   * Creates the failure.
   *
   * @param reason its kind
   * @param errno the error number behind it, positive, or 0
   * @param message whole sentences that name the thing and the way out
   */
  public LaunchFailure(Reason reason, int errno, String message) {
    super(message);
    this.reason = reason;
    this.errno = errno;
  }

  /**
   * The kind.
   *
   * @return the kind of failure
   */
  public Reason reason() {
    return reason;
  }

  /**
   * The error number.
   *
   * @return positive, or 0 if no call is behind it
   */
  public int errno() {
    return errno;
  }
}
