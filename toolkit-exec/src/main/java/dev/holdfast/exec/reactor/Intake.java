package dev.holdfast.exec.reactor;

import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.pipe.Discard;
import dev.holdfast.exec.pipe.Sink;
import dev.holdfast.exec.pipe.Sinks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pipe that the reactor itself reads into a sink, one read a turn. Reactor's thread only, but for
 * what says otherwise.
 */
public final class Intake extends Entry {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
  private static final int EAGAIN = 11;

  /** As many as empty the largest pipe that needs no privilege; see {@code pipe(7)}. */
  private static final int MOST_READS = 16;

  /** One for all: the reactor reads one pipe at a time. */
  private static final NativeBlock BUFFER = NativeBlock.allocate(Sinks.CHUNK);

  private static final byte[] CHUNK = new byte[Sinks.CHUNK];

  /** Told of what happens. */
  public interface Owner {
    /** Bytes have come. */
    void onData();

    /** The stream has ended, or was closed. Once. */
    void onEnd();

    /** The sink's limit is passed. Maybe more than once. */
    void onOverLimit();
  }

  private final Owner owner;
  private Sink sink; // before the fd is watched, or reactor's thread
  private int fd = -1; // before the fd is watched, or reactor's thread

  /**
   * An intake that has no descriptor yet.
   *
   * @param sink what gets the bytes
   * @param owner told of what happens
   */
  public Intake(Sink sink, Owner owner) {
    this.sink = sink;
    this.owner = owner;
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
    int rc = Reactor.get().watch(pipe, Epoll.IN | Epoll.RDHUP, this, ctl);
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
    if (fd >= 0) {
      read();
    }
  }

  /** Reads what is there now, as far as there is memory for it. */
  public void takeRest() {
    try {
      for (int left = MOST_READS; left > 0 && fd >= 0 && read(); left--) {}
    } catch (OutOfMemoryError e) {
      LOG.warn("There is no memory to keep the rest of an output; it is cut.");
    }
  }

  /** One read; true when there was something. */
  private boolean read() {
    sink.reserve(Sinks.CHUNK);
    long n = Fds.read(fd, BUFFER, 0, Sinks.CHUNK);
    if (n > 0) {
      BUFFER.getBytes(0, CHUNK, 0, (int) n);
      if (sink.accept(CHUNK, (int) n) == Sink.Verdict.OVER_LIMIT) {
        owner.onOverLimit();
      }
      owner.onData();
    } else if (n != -EAGAIN) {
      close();
    }
    return n > 0;
  }

  /** Keeps what has come, and throws away what comes from now on. */
  public void detach() {
    sink = Discard.DISCARD;
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
    owner.onEnd();
  }
}
