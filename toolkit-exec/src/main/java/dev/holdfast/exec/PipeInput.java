package dev.holdfast.exec;

import dev.holdfast.exec.reactor.ReadEnd;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Objects;

/** A child's output as a stream. A read that is interrupted loses nothing. */
final class PipeInput extends InputStream {
  private final ReadEnd end;

  PipeInput(ReadEnd end) {
    this.end = end;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    try {
      int n = end.read(target, offset, length);
      if (n == ReadEnd.WAS_CUT) {
        throw new IOException("The stream is closed: by close(), or with the scope of the child.");
      }
      return n;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("Interrupted while waiting for output.").initCause(e);
    }
  }

  @Override
  public void close() {
    end.close();
  }
}
