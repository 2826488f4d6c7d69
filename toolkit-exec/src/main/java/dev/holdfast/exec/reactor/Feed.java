package dev.holdfast.exec.reactor;

import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;

/**
 * A pipe into which the reactor itself writes what is in memory, as much a turn as the pipe takes;
 * then it is closed. Reactor's thread only, but for what says otherwise.
 */
public final class Feed extends Entry {
  private static final int EAGAIN = 11;
  private static final int CHUNK = 64 * 1024;

  private static final NativeBlock BUFFER = NativeBlock.allocate(CHUNK);

  private final byte[] content;
  private int written;
  private int fd = -1; // before the fd is watched, or reactor's thread

  /**
   * A feed that has no descriptor yet.
   *
   * @param content what to write; not copied
   */
  public Feed(byte[] content) {
    this.content = content;
  }

  /**
   * Takes over a descriptor and watches it. The entry must be reserved. Any thread, once.
   *
   * @param pipe a descriptor that doesn't block
   * @return 0 or a negative errno; then the descriptor is closed
   */
  public int adopt(int pipe) {
    fd = pipe;
    NativeBlock ctl = NativeBlock.allocate(Epoll.SCRATCH_BYTES);
    int rc = Reactor.get().watch(pipe, Epoll.OUT, this, ctl);
    if (rc < 0) {
      fd = -1;
      Fds.close(pipe);
    }
    return rc;
  }

  @Override
  protected void advance(int requests, boolean isDue) {}

  @Override
  protected void ready(int events) {
    if (fd < 0) {
      return;
    }
    int chunk = Math.min(CHUNK, content.length - written);
    BUFFER.putBytes(0, content, written, chunk);
    long n = chunk == 0 ? 0 : Fds.write(fd, BUFFER, 0, chunk);
    if (n >= 0) {
      written += (int) n;
    }
    boolean refused = n < 0 && n != -EAGAIN; // EPIPE: the child wants no more, which is its right
    if (refused || written == content.length) {
      close();
    }
  }

  /** Closes the descriptor; idempotent. */
  public void close() {
    int pipe = fd;
    if (pipe < 0) {
      return;
    }
    Reactor reactor = Reactor.get();
    reactor.unwatch(pipe);
    fd = -1; // before the close: it is closed once, whatever strikes
    Fds.close(pipe);
    reactor.at(this, NEVER);
    reactor.release(this);
  }
}
