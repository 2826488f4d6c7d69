package dev.holdfast.exec.spawn;

/** Why a program can't be started, before it becomes the public exception of the call. */
public final class LaunchFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of failure. */
  public enum Reason {
    /** There is no such program. */
    NOT_FOUND,
    /** It is there and may not be executed. */
    NOT_EXECUTABLE,
    /** The interpreter or loader that it names is not there. */
    BAD_INTERPRETER,
    /** Neither a binary nor a script with a first line {@code #!}. */
    NO_SHEBANG,
    /** The working directory can't be used. */
    BAD_WORKING_DIRECTORY,
    /** Arguments and environment are longer than the kernel takes. */
    ARGUMENTS_TOO_LONG,
    /** An argument that no process can be given. */
    BAD_ARGUMENT,
    /** A variable that no process can be given. */
    BAD_ENVIRONMENT,
    /** Processes, descriptors or memory have run out. */
    RESOURCES
  }

  /** The kind. */
  private final Reason reason;

  /** The error number behind it, or 0. */
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
