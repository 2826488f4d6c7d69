package dev.holdfast.exec.reactor;

import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;

/** Our end of a pipe that a child writes. See {@link PipeEnd} for who may do what. */
public final class ReadEnd extends PipeEnd implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 * 1024;

  /** What {@link #read} returns at the end of the stream. */
  public static final int END = -1;

  /** What {@link #read} returns when the end was cut. */
  public static final int WAS_CUT = -2;

  private final NativeBlock buffer = NativeBlock.allocate(BUFFER_BYTES);
  private int wanted; // the reader's
  private boolean ended; // the reader's

  /**
   * An end that has no descriptor yet.
   *
   * @param onClose called once, by the thread that closes the descriptor
   */
  public ReadEnd(Runnable onClose) {
    super(Epoll.IN | Epoll.RDHUP, onClose);
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
    return Fds.read(pipe, buffer, 0, wanted);
  }

  /**
   * Reads what is there, waiting for at least one byte. One thread at a time.
   *
   * @param target where to put it
   * @param offset at which index
   * @param length how many bytes at most, more than 0
   * @return the number of bytes, {@link #END} or {@link #WAS_CUT}
   * @throws InterruptedException when interrupted while waiting; nothing is lost
   */
  public int read(byte[] target, int offset, int length) throws InterruptedException {
    return read(target, offset, length, Interruptible.YES);
  }

  /**
   * As {@link #read}, but an interrupt doesn't end the wait; the flag is kept.
   *
   * @param target where to put it
   * @param length how many bytes at most, more than 0
   * @return the number of bytes, {@link #END} or {@link #WAS_CUT}
   */
  public int readUninterruptibly(byte[] target, int length) {
    try {
      return read(target, 0, length, Interruptible.NO);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private int read(byte[] target, int offset, int length, Interruptible interruptible)
      throws InterruptedException {
    wanted = Math.min(length, BUFFER_BYTES);
    long n = await(interruptible);
    if (n == CUT) {
      return ended ? END : WAS_CUT;
    }
    if (n <= 0) {
      ended = true;
      cut();
      return END;
    }
    buffer.getBytes(0, target, offset, (int) n);
    return (int) n;
  }

  /** Ends every read, now and later, with {@link #WAS_CUT}, but leaves the descriptor open. */
  public void stopReading() {
    nudge();
  }

  /** Ends the use of this end; whoever reads gets {@link #WAS_CUT}. Any thread; idempotent. */
  @Override
  public void close() {
    cut();
  }

  /**
   * Whether neither end of stream nor a cut has closed this end.
   *
   * @return true while it can be read
   */
  public boolean isReadable() {
    return isOpen();
  }

  /**
   * Gives the descriptor away, unwatched.
   *
   * @return the descriptor, or -1 when it is in use or closed
   */
  public int release() {
    return giveUp();
  }
}
