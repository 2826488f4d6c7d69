package dev.holdfast.exec;

import java.io.OutputStream;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** The kinds of {@link Output}, to switch over. */
final class Outputs {
  /** The longest array that every JVM can make; what is kept ends up in one. */
  private static final int MAX_SIZE = Integer.MAX_VALUE - 8;

  private Outputs() {}

  static int requireSize(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "Keeping " + bytes + " bytes of an output is not possible; choose Output.discard().");
    }
    if (bytes > MAX_SIZE) {
      throw new IllegalArgumentException(
          "Keeping "
              + bytes
              + " bytes of an output in memory is not possible, at most "
              + MAX_SIZE
              + " are; choose Output.file(Path).");
    }
    return (int) bytes;
  }

  enum Discard implements Output {
    DISCARD;

    @Override
    public String toString() {
      return "Output.discard()";
    }
  }

  enum Inherit implements Output {
    INHERIT;

    @Override
    public String toString() {
      return "Output.inherit()";
    }
  }

  enum Pipe implements Output {
    PIPE;

    @Override
    public String toString() {
      return "Output.pipe()";
    }
  }

  record File(Path path, boolean append) implements Output {
    @Override
    public String toString() {
      return "Output." + (append ? "append(" : "file(") + ShellQuote.quote(path.toString()) + ")";
    }
  }

  /** Outputs whose content ends up in the {@link Result}. */
  sealed interface Kept extends Output permits Capture, Tail {}

  record Capture(int limitBytes, Overflow overflow) implements Kept {
    @Override
    public String toString() {
      return "Output.capture(" + limitBytes + ", " + overflow + ")";
    }
  }

  record Tail(int bytes) implements Kept {
    @Override
    public String toString() {
      return "Output.tail(" + bytes + ")";
    }
  }

  /** Outputs that run user code, on a virtual thread. */
  sealed interface Sink extends Output permits Lines, Stream, Log {}

  record Lines(Consumer<String> consumer) implements Sink {
    @Override
    public String toString() {
      return "Output.lines(...)";
    }
  }

  record Stream(OutputStream target) implements Sink {
    @Override
    public String toString() {
      return "Output.to(" + target.getClass().getName() + ")";
    }
  }

  record Log(Logger logger, Level level) implements Sink {
    @Override
    public String toString() {
      return "Output.log(" + logger.getName() + ", " + level + ")";
    }
  }
}
