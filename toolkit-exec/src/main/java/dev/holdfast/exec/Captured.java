package dev.holdfast.exec;

import java.nio.charset.Charset;
import java.util.List;

/** What a {@link Result} has of one stream: its bytes, or the reason why it has none. */
sealed interface Captured {
  /**
   * Makes the content of a stream that was kept.
   *
   * @param bytes not copied; nobody may write into them any more
   * @param truncated whether the child wrote more than these
   */
  static Captured kept(byte[] bytes, boolean truncated) {
    return new Kept(bytes, truncated);
  }

  /** Makes the absence of a stream that went to {@code output}. */
  static Captured wentTo(Output output) {
    return new Absent(
        "it went to " + output, "choose Output.capture() or Output.tail(bytes) for it");
  }

  /** Makes the absence of a stderr that is part of stdout. */
  static Captured merged() {
    return new Absent(
        "it is merged into stdout", "read stdout, or leave out mergeStderr() to tell them apart");
  }

  boolean truncated();

  /** Returns the bytes, shared; throws if there are none. */
  byte[] bytes(String stream);

  default String text(String stream, Charset charset) {
    return new String(bytes(stream), charset);
  }

  default List<String> lines(String stream, Charset charset) {
    return Texts.lines(text(stream, charset));
  }

  /** Returns the end of the stream under a heading, as the part of a message. */
  String report(String stream, Charset charset);

  final class Kept implements Captured {
    /** How much of a stream a message shows, in chars. */
    private static final int REPORTED = 4096;

    private final byte[] bytes;
    private final boolean truncated;

    private Kept(byte[] bytes, boolean truncated) {
      this.bytes = bytes;
      this.truncated = truncated;
    }

    @Override
    public boolean truncated() {
      return truncated;
    }

    @Override
    public byte[] bytes(String stream) {
      return bytes;
    }

    @Override
    public String report(String stream, Charset charset) {
      if (bytes.length == 0) {
        return "\n" + stream + ": empty";
      }
      String text = text(stream, charset).stripTrailing();
      String end = Texts.end(text, REPORTED);
      String heading = truncated || end.length() < text.length() ? ", its end:\n" : ":\n";
      return "\n" + stream + heading + end;
    }
  }

  record Absent(String why, String wayOut) implements Captured {
    @Override
    public boolean truncated() {
      return false;
    }

    @Override
    public byte[] bytes(String stream) {
      throw new IllegalStateException(stream + " was not captured: " + why + "; " + wayOut + ".");
    }

    @Override
    public String report(String stream, Charset charset) {
      return "\n" + stream + ": not captured, " + why;
    }
  }
}
