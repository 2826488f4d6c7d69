package dev.holdfast.exec.spawn;

import dev.holdfast.exec.pipe.ByteConsumer;
import dev.holdfast.exec.pipe.Sink;
import java.io.InputStream;

/** Where one of the child's three streams leads. */
public sealed interface StreamPlan {
  /** {@code /dev/null}. */
  record Null() implements StreamPlan {}

  /**
   * A descriptor of the JVM.
   *
   * @param fd 0, 1 or 2
   */
  record Inherited(int fd) implements StreamPlan {}

  /**
   * A file that the child reads or writes itself.
   *
   * @param path the bytes of its name
   * @param mode how to open it
   * @param shown what messages call the file
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record FileStream(byte[] path, Mode mode, String shown) implements StreamPlan {}

  /** How to open a file. */
  enum Mode {
    /** For reading. */
    READ,
    /** For writing, from its start, emptied. */
    WRITE,
    /** For writing, at its end. */
    APPEND
  }

  /**
   * Output that the reactor puts into a sink.
   *
   * @param sink where it goes
   */
  record Collected(Sink sink) implements StreamPlan {}

  /**
   * Output that a virtual thread hands to code that may block.
   *
   * @param consumer the code
   */
  record Pumped(ByteConsumer consumer) implements StreamPlan {}

  /**
   * A pipe whose other end is the caller's.
   *
   * @param unread what output goes to when nobody begins to read it
   */
  record Piped(Sink unread) implements StreamPlan {}

  /**
   * Input that the reactor writes from memory.
   *
   * @param content not copied
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Content(byte[] content) implements StreamPlan {}

  /**
   * Input that a virtual thread reads from a stream of the caller's.
   *
   * @param source the stream
   */
  record Fed(InputStream source) implements StreamPlan {}
}
