package dev.holdfast.exec;

import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Path;

/** The kinds of {@link Input}, to switch over. Their text never shows what the child reads. */
final class Inputs {
  private Inputs() {}

  enum Empty implements Input {
    EMPTY;

    @Override
    public String toString() {
      return "Input.empty()";
    }
  }

  enum Inherit implements Input {
    INHERIT;

    @Override
    public String toString() {
      return "Input.inherit()";
    }
  }

  enum Pipe implements Input {
    PIPE;

    @Override
    public String toString() {
      return "Input.pipe()";
    }
  }

  /** Content that is in memory when the child is spawned. */
  sealed interface Payload extends Input permits Bytes, Text {
    /** Returns the bytes to write; shared, nobody may write into them. */
    byte[] encode(Charset charset);
  }

  static final class Bytes implements Payload {
    private final byte[] bytes; // never written, never handed to a caller

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public byte[] encode(Charset charset) {
      return bytes;
    }

    @Override
    public String toString() {
      return "Input.bytes(" + bytes.length + " bytes)";
    }
  }

  record Text(String text) implements Payload {
    @Override
    public byte[] encode(Charset charset) {
      return text.getBytes(charset);
    }

    @Override
    public String toString() {
      return "Input.text(" + text.length() + " chars)";
    }
  }

  record File(Path path) implements Input {
    @Override
    public String toString() {
      return "Input.file(" + ShellQuote.quote(path.toString()) + ")";
    }
  }

  record Stream(InputStream source) implements Input {
    @Override
    public String toString() {
      return "Input.from(" + source.getClass().getName() + ")";
    }
  }
}
