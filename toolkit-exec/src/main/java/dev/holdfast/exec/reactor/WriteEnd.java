package dev.holdfast.exec.reactor;

import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;

/** Our end of a pipe that a child reads. See {@link PipeEnd} for who may do what. */
public final class WriteEnd extends PipeEnd implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 * 1024;

  private final NativeBlock buffer = NativeBlock.allocate(BUFFER_BYTES);
  private int start; // who has the end in use
  private int end; // who has the end in use

  /**
   * An end that has no descriptor yet.
   *
   * @param onClose called once, by the thread that closes the descriptor
   */
  public WriteEnd(Runnable onClose) {
    super(Epoll.OUT, onClose);
  }

  /**
   * Takes over a descriptor. The entry must be reserved.
   *
   * @param pipe a descriptor that doesn't block
   * @return 0 or a negative errno; then the descriptor is closed
   */
  public int adopt(int pipe) {
    return open(pipe);
  }

  @Override
  long transfer(int pipe) {
    return Fds.write(pipe, buffer, start, end - start);
  }

  /**
   * Writes all bytes, waiting while the pipe is full. One thread at a time.
   *
   * @param source where they are
   * @param offset at which index
   * @param length how many
   * @return false when the child has closed its end or this one was cut; the rest is lost
   * @throws InterruptedException when interrupted while waiting; part may be written
   */
  public boolean write(byte[] source, int offset, int length) throws InterruptedException {
    if (!beginUse()) {
      return false;
    }
    try {
      if (!writeInUse(source, offset, length)) {
        return false;
      }
    } finally {
      endUse();
    }
    return isOpen();
  }

  private boolean writeInUse(byte[] source, int offset, int length) throws InterruptedException {
    for (int at = offset; at < offset + length; at += end) {
      end = Math.min(offset + length - at, BUFFER_BYTES);
      buffer.putBytes(0, source, at, end);
      start = 0;
      while (start < end) {
        long n = awaitInUse(Interruptible.YES);
        if (n < 0) {
          return false;
        }
        start += (int) n;
      }
    }
    return true;
  }

  /**
   * Writes what the pipe takes at once, unless somebody else is writing. Any thread; never blocks.
   *
   * @param source the bytes
   * @return whether all were written
   */
  public boolean writeNow(byte[] source) {
    if (!tryUse()) {
      return false;
    }
    try {
      int at = 0;
      while (at < source.length) {
        int chunk = Math.min(source.length - at, BUFFER_BYTES);
        buffer.putBytes(0, source, at, chunk);
        start = 0;
        end = chunk;
        long n = transferNow();
        if (n <= 0) {
          return false;
        }
        at += (int) n;
      }
      return true;
    } finally {
      endUse();
    }
  }

  /** Closes this end: the child reads the end of the stream. Any thread; idempotent. */
  @Override
  public void close() {
    cut();
  }
}
