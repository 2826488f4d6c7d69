package dev.holdfast.exec;

import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Where a child's standard output or standard error goes; chosen with {@link
 * Command#stdout(Output)} and {@link Command#stderr(Output)}. Default: {@link #capture()} under
 * {@code run}, {@link #tail()} for a spawned child.
 *
 * <p>All outputs are immutable values and may be used for many commands; the consumer, stream or
 * logger within is the caller's own, and must bear use by several threads if it is shared. User
 * code (a consumer, a stream, a logger) runs on a virtual thread of its own per stream. If it
 * throws, the run fails with {@link ExecException.Reason#SINK_FAILED} while the child's output is
 * drained on; if it blocks after the child's end, it is cut when the drain grace is over, and
 * {@link Result#complete()} is false.
 */
public sealed interface Output
    permits Outputs.Discard,
        Outputs.Inherit,
        Outputs.Pipe,
        Outputs.File,
        Outputs.Kept,
        Outputs.Sink {
  /** How much {@link #capture()} keeps of a stream, in bytes: 64 MiB. */
  long CAPTURE_LIMIT = 64L * 1024 * 1024;

  /** How much {@link #tail()} keeps of a stream, in bytes: 64 KiB. */
  int TAIL = 64 * 1024;

  /**
   * Nowhere: the child writes to {@code /dev/null}.
   *
   * @return this output
   */
  static Output discard() {
    return Outputs.Discard.DISCARD;
  }

  /**
   * The same stream of this JVM: its standard output for stdout, its standard error for stderr.
   *
   * @return this output
   */
  static Output inherit() {
    return Outputs.Inherit.INHERIT;
  }

  /**
   * A pipe that the caller reads through {@code ChildProcess.stdout()} or {@code stderr()}, with
   * the kernel's back-pressure: the child waits while the pipe is full, see {@code pipe(7)}. What
   * nobody has begun to read when {@code join} is called is drained into a {@link #tail()}.
   *
   * @return this output
   */
  static Output pipe() {
    return Outputs.Pipe.PIPE;
  }

  /**
   * A file that the child writes itself; made if it is missing, emptied if it is not.
   *
   * @param file the file; a relative path counts from this JVM's working directory
   * @return this output
   * @throws IllegalArgumentException if the path is not one of the default file system
   */
  static Output file(Path file) {
    return new Outputs.File(NativePaths.requireNative(file, "file"), false);
  }

  /**
   * A file that the child writes itself, at its end ({@code O_APPEND}); made if it is missing.
   *
   * @param file the file; a relative path counts from this JVM's working directory
   * @return this output
   * @throws IllegalArgumentException if the path is not one of the default file system
   */
  static Output append(Path file) {
    return new Outputs.File(NativePaths.requireNative(file, "file"), true);
  }

  /**
   * Memory, up to {@link #CAPTURE_LIMIT}; more is a failure ({@link Overflow#FAIL}).
   *
   * @return this output
   */
  static Output capture() {
    return capture(CAPTURE_LIMIT);
  }

  /**
   * Memory, up to a limit; more is a failure ({@link Overflow#FAIL}).
   *
   * @param limitBytes the most that is kept of this stream, in bytes
   * @return this output
   * @throws IllegalArgumentException if the limit is not within 1 byte and 2 GiB less 8 bytes
   */
  static Output capture(long limitBytes) {
    return capture(limitBytes, Overflow.FAIL);
  }

  /**
   * Memory, up to a limit. Only what was written is allocated.
   *
   * @param limitBytes the most that is kept of this stream, in bytes
   * @param overflow what happens when the child writes more
   * @return this output
   * @throws IllegalArgumentException if the limit is not within 1 byte and 2 GiB less 8 bytes
   */
  static Output capture(long limitBytes, Overflow overflow) {
    Objects.requireNonNull(overflow, "overflow");
    return new Outputs.Capture(Outputs.requireSize(limitBytes), overflow);
  }

  /**
   * Memory that keeps the last {@link #TAIL} bytes and forgets what came before.
   *
   * @return this output
   */
  static Output tail() {
    return tail(TAIL);
  }

  /**
   * Memory that keeps the last bytes and forgets what came before, which is no failure; {@link
   * Result#truncated()} tells if anything was.
   *
   * @param bytes how many bytes are kept of this stream
   * @return this output
   * @throws IllegalArgumentException if the number is not within 1 and 2 GiB less 8
   */
  static Output tail(int bytes) {
    return new Outputs.Tail(Outputs.requireSize(bytes));
  }

  /**
   * A consumer that gets each line as soon as it is complete, without its end (a newline, and a
   * carriage return before it), in the command's {@link Command#charset(java.nio.charset.Charset)
   * charset}; a last line without a newline comes at the end of the stream. A slow consumer slows
   * the child down.
   *
   * @param consumer called on one virtual thread, in the order of the lines
   * @return this output
   */
  static Output lines(Consumer<String> consumer) {
    return new Outputs.Lines(Objects.requireNonNull(consumer, "consumer"));
  }

  /**
   * A stream that gets the bytes as they come. It is flushed after the last one and not closed: it
   * is the caller's. A slow stream slows the child down.
   *
   * @param target written on one virtual thread
   * @return this output
   */
  static Output to(OutputStream target) {
    return new Outputs.Stream(Objects.requireNonNull(target, "target"));
  }

  /**
   * A logger that gets each line as {@link #lines(Consumer)} would, as one event.
   *
   * @param logger where the lines go
   * @param level the level of the events
   * @return this output
   */
  static Output log(Logger logger, Level level) {
    return new Outputs.Log(
        Objects.requireNonNull(logger, "logger"), Objects.requireNonNull(level, "level"));
  }
}
