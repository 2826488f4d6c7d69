package dev.holdfast.exec.pipe;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.util.function.Consumer;

/**
 * Cuts bytes into lines at LF, without it and without a CR before it. A line is decoded when it is
 * whole, so a character that is split across reads stays one; what is malformed is replaced.
 */
public final class LineSplitter implements ByteConsumer {
  private final Charset charset;
  private final Consumer<String> lines;
  private final ByteArrayOutputStream partial = new ByteArrayOutputStream();

  /**
   * A splitter at the start of a stream.
   *
   * @param charset an encoding in which the byte 10 is always a line feed
   * @param lines gets each line
   */
  public LineSplitter(Charset charset, Consumer<String> lines) {
    this.charset = charset;
    this.lines = lines;
  }

  @Override
  public void accept(byte[] chunk, int length) {
    int start = 0;
    for (int i = 0; i < length; i++) {
      if (chunk[i] == '\n') {
        partial.write(chunk, start, i - start);
        start = i + 1;
        emit(whole());
      }
    }
    partial.write(chunk, start, length - start);
  }

  @Override
  public void end() {
    if (partial.size() > 0) {
      emit(partial.toString(charset));
    }
  }

  /** What stands before a line feed. */
  private String whole() {
    String line = partial.toString(charset);
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  private void emit(String line) {
    partial.reset();
    lines.accept(line);
  }
}
