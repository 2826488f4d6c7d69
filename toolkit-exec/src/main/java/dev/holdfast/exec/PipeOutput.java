package dev.holdfast.exec;

import dev.holdfast.exec.reactor.WriteEnd;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;

/** A child's standard input as a stream, without a buffer of its own. */
final class PipeOutput extends OutputStream {
  private final WriteEnd end;

  PipeOutput(WriteEnd end) {
    this.end = end;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, source.length);
    try {
      if (!end.write(source, offset, length)) {
        throw new IOException(
            "The child reads no more: it has closed its standard input or ended, or the stream is"
                + " closed.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("Interrupted while the pipe was full.").initCause(e);
    }
  }

  @Override
  public void close() {
    end.close();
  }
}
