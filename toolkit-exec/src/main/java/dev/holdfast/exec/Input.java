package dev.holdfast.exec;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;

/**
 * What a child reads on its standard input; chosen with {@link Command#stdin(Input)}. Default:
 * {@link #empty()}, so that a child that reads ends instead of waiting for ever.
 *
 * <p>All inputs are immutable values but {@link #from(InputStream)}, which can be read only once. A
 * child that closes its input early, or ends without reading it, is no error of the run (EPIPE).
 */
public sealed interface Input
    permits Inputs.Empty, Inputs.Inherit, Inputs.Pipe, Inputs.Payload, Inputs.File, Inputs.Stream {
  /**
   * Nothing: the child reads end-of-file at once, from {@code /dev/null}. The default.
   *
   * @return this input
   */
  static Input empty() {
    return Inputs.Empty.EMPTY;
  }

  /**
   * The standard input of this JVM, shared with it.
   *
   * @return this input
   */
  static Input inherit() {
    return Inputs.Inherit.INHERIT;
  }

  /**
   * A pipe that the caller writes through {@code ChildProcess.stdin()}, with the kernel's
   * back-pressure: a write waits while the pipe is full, see {@code pipe(7)}. Close it to let the
   * child see end-of-file.
   *
   * @return this input
   */
  static Input pipe() {
    return Inputs.Pipe.PIPE;
  }

  /**
   * Some bytes, then end-of-file.
   *
   * @param bytes what the child reads; copied
   * @return this input
   */
  static Input bytes(byte[] bytes) {
    return new Inputs.Bytes(Objects.requireNonNull(bytes, "bytes").clone());
  }

  /**
   * Some text in the command's {@link Command#charset(java.nio.charset.Charset) charset}, then
   * end-of-file. No newline is added; what the charset can't encode becomes its replacement, mostly
   * {@code ?}.
   *
   * @param text what the child reads
   * @return this input
   */
  static Input text(String text) {
    return new Inputs.Text(Objects.requireNonNull(text, "text"));
  }

  /**
   * A file, opened for reading when the child is spawned and read by the child itself.
   *
   * @param file the file; a relative path counts from this JVM's working directory
   * @return this input
   * @throws IllegalArgumentException if the path is not one of the default file system
   */
  static Input file(Path file) {
    return new Inputs.File(NativePaths.requireNative(file, "file"));
  }

  /**
   * A stream, read to its end on a virtual thread of its own and copied to the child. When the
   * child ends first, that thread is interrupted; one that is stuck in a read all the same is
   * abandoned with a WARN. The stream is not closed: it is the caller's.
   *
   * @param source the stream; good for one run
   * @return this input
   */
  static Input from(InputStream source) {
    return new Inputs.Stream(Objects.requireNonNull(source, "source"));
  }
}
