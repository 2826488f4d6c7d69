package dev.holdfast.exec;

import java.io.Serial;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A process could not be started, or its run failed in a way that is not just an exit status. The
 * message is a whole sentence that names the thing and the way out, and never shows the value of an
 * environment variable; {@link #reason()} is for programs.
 *
 * <p>An exit code, a signal or a timeout is not a failure by itself: {@link Result#expectSuccess()}
 * makes it one.
 */
public final class ExecException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /** Why it failed; a closed list. */
  public enum Reason {
    /** There is no such program in the child's PATH, or at its path (ENOENT). */
    NOT_FOUND,
    /** The program is there but may not be executed, or is a directory (EACCES). */
    NOT_EXECUTABLE,
    /** The script's first line names an interpreter that can't be run. */
    BAD_INTERPRETER,
    /** The file is neither a binary nor a script with a first line {@code #!} (ENOEXEC). */
    NO_SHEBANG,
    /** The working directory is missing, no directory, or may not be entered. */
    BAD_WORKING_DIRECTORY,
    /**
     * Arguments and environment are larger than the kernel takes (E2BIG); see {@code execve(2)}.
     */
    ARGUMENTS_TOO_LONG,
    /** A program or argument that no process can be given, as one with a NUL in it. */
    BAD_ARGUMENT,
    /** A variable that no process can be given; only its key is named, never its value. */
    BAD_ENVIRONMENT,
    /** Processes, descriptors or memory have run out (EAGAIN, EMFILE, ENFILE, ENOMEM). */
    RESOURCES,
    /** The scope is halted or closed, so that it starts nothing any more. */
    SCOPE_HALTED,
    /**
     * A capture ran over its limit under {@link Overflow#FAIL}; {@link #result()} has what was
     * read.
     */
    OUTPUT_LIMIT,
    /** User code that took the output threw; it is the cause of this exception. */
    SINK_FAILED,
    /** {@link Result#expectSuccess()} was called on a run that did not succeed. */
    UNSUCCESSFUL,
    /** This machine lacks something that can't be done without. */
    UNSUPPORTED
  }

  /** Why it failed. */
  private final Reason reason;

  /** The error number of the system call, 0 if there is none. */
  private final int errno;

  private final transient @Nullable Command command;
  private final transient @Nullable Result result;

  /** With everything that may be known; {@code errno} 0 means none. */
  ExecException(
      Reason reason,
      String message,
      int errno,
      @Nullable Command command,
      @Nullable Result result,
      @Nullable Throwable cause) {
    super(Objects.requireNonNull(message, "message"), cause);
    this.reason = Objects.requireNonNull(reason, "reason");
    this.errno = errno;
    this.command = command;
    this.result = result;
  }

  /** A refusal that no system call and no whole command is behind. */
  ExecException(Reason reason, String message) {
    this(reason, message, 0, null, null, null);
  }

  /** A failed start; {@code errno} 0 means none. */
  ExecException(Reason reason, String message, int errno, Command command) {
    this(reason, message, errno, Objects.requireNonNull(command, "command"), null, null);
  }

  /** A failed run that has a result. */
  ExecException(Reason reason, String message, Result result, @Nullable Throwable cause) {
    this(reason, message, 0, result.command(), result, cause);
  }

  /**
   * Returns why it failed.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns the error number of the system call that failed; see {@code errno(3)}.
   *
   * @return the number, or empty if no system call is behind the failure
   */
  public OptionalInt errno() {
    return errno == 0 ? OptionalInt.empty() : OptionalInt.of(errno);
  }

  /**
   * Returns the command that failed.
   *
   * @return the command; null if it was refused while it was being put together, or if this
   *     exception was deserialized
   */
  public @Nullable Command command() {
    return command;
  }

  /**
   * Returns what came of the run, with the output that was read.
   *
   * @return the result for {@link Reason#UNSUCCESSFUL}, {@link Reason#OUTPUT_LIMIT} and {@link
   *     Reason#SINK_FAILED}; else null, and null if this exception was deserialized
   */
  public @Nullable Result result() {
    return result;
  }
}
