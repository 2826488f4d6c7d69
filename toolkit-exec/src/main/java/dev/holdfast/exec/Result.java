package dev.holdfast.exec;

import dev.holdfast.scope.Cause;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What came of a process: how it ended, who caused that, what it used and what it wrote. Immutable.
 *
 * <p>A stream can be read here if it was kept, that is under {@link Output#capture()} or {@link
 * Output#tail()}; else its methods throw an {@link IllegalStateException} that names the choice to
 * make.
 */
public final class Result {
  private final Command command;
  private final ExitStatus status;
  private final Cause cause;
  private final Usage usage;
  private final Duration duration;
  private final boolean complete;
  private final Captured out;
  private final Captured err;

  Result(
      Command command,
      ExitStatus status,
      Cause cause,
      Usage usage,
      Duration duration,
      boolean complete,
      Captured out,
      Captured err) {
    this.command = Objects.requireNonNull(command, "command");
    this.status = Objects.requireNonNull(status, "status");
    this.cause = Objects.requireNonNull(cause, "cause");
    this.usage = Objects.requireNonNull(usage, "usage");
    this.duration = Objects.requireNonNull(duration, "duration");
    this.complete = complete;
    this.out = Objects.requireNonNull(out, "out");
    this.err = Objects.requireNonNull(err, "err");
  }

  /**
   * Returns the command that was run.
   *
   * @return the command
   */
  public Command command() {
    return command;
  }

  /**
   * Returns how the leader ended.
   *
   * @return the status
   */
  public ExitStatus status() {
    return status;
  }

  /**
   * Returns who caused the end: {@link Cause#SELF} if the leader ended before anyone asked it to.
   *
   * @return the cause
   */
  public Cause cause() {
    return cause;
  }

  /**
   * Returns what the leader and the descendants that it waited for have used.
   *
   * @return the usage; all zero if the status is unknown
   */
  public Usage usage() {
    return usage;
  }

  /**
   * Returns how long the leader ran.
   *
   * @return from its start to its end, on the monotonic clock
   */
  public Duration duration() {
    return duration;
  }

  /**
   * Tells whether the output was read to its end. It is not if a descendant still held a stream
   * when the drain grace was over (250 ms without data, at most 2 s after the end), or if a
   * consumer blocked.
   *
   * @return false if more may have been written than was read
   */
  public boolean complete() {
    return complete;
  }

  /**
   * Tells whether a kept stream had more bytes than were kept: under {@link Output#tail()}, {@link
   * Overflow#TRUNCATE} or {@link Overflow#STOP}, and in the result of a failed run.
   *
   * @return true if bytes that were read have been dropped
   */
  public boolean truncated() {
    return out.truncated() || err.truncated();
  }

  /**
   * Returns the standard output as text.
   *
   * @return what was kept of it, decoded by the command's charset; malformed input, as at the start
   *     of a tail that begins within a character, is replaced by U+FFFD
   * @throws IllegalStateException if it was not kept
   */
  public String stdout() {
    return out.text("stdout", command.charset());
  }

  /**
   * Returns the standard error as text, as {@link #stdout()} does.
   *
   * @return what was kept of it
   * @throws IllegalStateException if it was not kept, or is merged into standard output
   */
  public String stderr() {
    return err.text("stderr", command.charset());
  }

  /**
   * Returns the standard output as it was written.
   *
   * @return what was kept of it; a copy
   * @throws IllegalStateException if it was not kept
   */
  public byte[] stdoutBytes() {
    return out.bytes("stdout").clone();
  }

  /**
   * Returns the standard error as it was written.
   *
   * @return what was kept of it; a copy
   * @throws IllegalStateException if it was not kept, or is merged into standard output
   */
  public byte[] stderrBytes() {
    return err.bytes("stderr").clone();
  }

  /**
   * Returns the lines of the standard output: {@link #stdout()} split at each newline. A carriage
   * return before a newline is taken away, one elsewhere stays. What follows the last newline is a
   * line only if it is not empty, so {@code "a\n"} and {@code "a"} are one line each, and no output
   * is no line.
   *
   * @return the lines without their ends, unmodifiable
   * @throws IllegalStateException if it was not kept
   */
  public List<String> stdoutLines() {
    return out.lines("stdout", command.charset());
  }

  /**
   * Returns the lines of the standard error, as {@link #stdoutLines()} does.
   *
   * @return the lines without their ends, unmodifiable
   * @throws IllegalStateException if it was not kept, or is merged into standard output
   */
  public List<String> stderrLines() {
    return err.lines("stderr", command.charset());
  }

  /**
   * Tells whether the run did what it was started for: the leader exited with one of the command's
   * {@link Command#exitCodes(int...) exit codes}, by itself or because it was stopped through its
   * handle or by the close of its scope. One that was cut off (by a timeout, a halt, the failure of
   * a sibling or its output limit) did not succeed, even if it handled TERM and exited with 0.
   *
   * @return whether it succeeded
   */
  public boolean isSuccess() {
    return status instanceof ExitStatus.Exited(int code) && command.isSuccess(code) && !cutOff();
  }

  /**
   * Makes everything but success an exception.
   *
   * @return this result, if {@link #isSuccess()}
   * @throws ExecException with {@link ExecException.Reason#UNSUCCESSFUL} else; its message has the
   *     command, the status, the cause and the last 4,096 characters of each stream that was kept
   */
  public Result expectSuccess() {
    if (isSuccess()) {
      return this;
    }
    throw new ExecException(ExecException.Reason.UNSUCCESSFUL, describe(), this, null);
  }

  /** Returns command, status, cause and duration on one line, without any output. */
  @Override
  public String toString() {
    return "Result[" + command + ": " + status + ", " + cause + ", " + duration + "]";
  }

  private boolean cutOff() {
    return switch (cause) {
      case SELF, STOPPED, CLOSED -> false;
      case TIMEOUT, HALTED, SIBLING_FAILED, OUTPUT_LIMIT -> true;
    };
  }

  private String describe() {
    return "The command did not succeed: "
        + command
        + " ended as "
        + status
        + " after "
        + duration
        + ", cause "
        + cause
        + "; success is an exit with a code of "
        + command.successCodes()
        + (cutOff() ? " without being cut off." : ".")
        + (complete ? "" : " Its output was not read to the end.")
        + out.report("stdout", command.charset())
        + err.report("stderr", command.charset());
  }
}
