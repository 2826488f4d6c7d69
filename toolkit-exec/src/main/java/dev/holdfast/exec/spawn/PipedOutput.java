package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.pipe.Sink;
import dev.holdfast.exec.pipe.Sinks;
import dev.holdfast.exec.reactor.Intake;
import dev.holdfast.exec.reactor.Reactor;
import dev.holdfast.exec.reactor.ReadEnd;
import org.jspecify.annotations.Nullable;

/**
 * Output that the caller reads. Who has begun to read keeps the pipe, beyond the end of the child
 * and until its scope closes; what nobody has begun to read can be collected: by the reactor, or,
 * when the drain is over already, at once by who asks for it.
 */
final class PipedOutput extends Wire implements Intake.Owner {
  /** A pipe holds no more than this unless root has asked for it; see {@code pipe(7)}. */
  private static final int MOST_IN_A_PIPE = 1024 * 1024;

  private enum Reader {
    NOBODY,
    CALLER,
    /** Collected, by the reactor. */
    REACTOR,
    /** Collected to its end. */
    ENDED,
    /** Collected, but more may have come. */
    CUT
  }

  private enum Phase {
    OPEN,
    /** The drain is over. */
    STOPPED,
    CLOSED
  }

  private final OpenEnds openEnds;
  private final Owner owner;
  private final Sink unread;
  private final Intake intake;
  private final ReadEnd end;
  private final Object collecting = new Object(); // never taken by the reactor
  private Reader reader = Reader.NOBODY; // guarded by this
  private Phase phase = Phase.OPEN; // guarded by this

  PipedOutput(OpenEnds openEnds, Sink unread, Owner owner) {
    this.openEnds = openEnds;
    this.owner = owner;
    this.unread = unread;
    this.intake = new Intake(unread, this);
    this.end = openEnds.readEnd();
  }

  @Override
  void prepare() {
    Reactor.get().reserve(end);
    Reactor.get().reserve(intake);
    int ours = pipe(true);
    requireTaken(end.adopt(ours));
    openEnds.add(end);
  }

  /** Any thread. Null when it was collected. */
  synchronized @Nullable ReadEnd begin() {
    if (reader == Reader.NOBODY) {
      reader = Reader.CALLER;
    }
    return reader == Reader.CALLER ? end : null;
  }

  /** Any thread: collects what nobody has begun to read. */
  void collect() {
    synchronized (collecting) {
      int fd = take();
      if (fd >= 0 && !handToReactor(fd)) {
        collectAtOnce(fd);
      }
    }
  }

  /** The descriptor, or -1 when there is nothing to be collected. */
  private synchronized int take() {
    if (reader != Reader.NOBODY) {
      return -1;
    }
    int fd = end.release();
    if (fd >= 0) {
      openEnds.forget(end);
      reader = Reader.CUT;
    }
    return fd;
  }

  /** False when the drain is over and nobody would wait for the reactor. */
  private synchronized boolean handToReactor(int fd) {
    if (phase != Phase.OPEN) {
      return false;
    }
    if (intake.adopt(fd) == 0) {
      reader = Reader.REACTOR;
    }
    return true;
  }

  /** What comes after that is the reactor's, to be thrown away. */
  private void collectAtOnce(int fd) {
    Reader then = Reader.CUT;
    try {
      then = readWhatIsThere(fd);
    } finally {
      synchronized (this) {
        reader = then;
        if (then == Reader.ENDED || phase == Phase.CLOSED) {
          Fds.close(fd);
        } else {
          intake.adopt(fd);
        }
      }
    }
  }

  private Reader readWhatIsThere(int fd) {
    NativeBlock buffer = NativeBlock.allocate(Sinks.CHUNK);
    byte[] chunk = new byte[Sinks.CHUNK];
    for (long left = MOST_IN_A_PIPE; left > 0; ) {
      unread.reserve(Sinks.CHUNK);
      long n = Fds.read(fd, buffer, 0, Sinks.CHUNK);
      if (n <= 0) {
        return n == 0 ? Reader.ENDED : Reader.CUT;
      }
      buffer.getBytes(0, chunk, 0, (int) n);
      Sink.Verdict verdict = unread.accept(chunk, (int) n);
      assert verdict == Sink.Verdict.MORE;
      left -= n;
    }
    return Reader.CUT;
  }

  @Override
  public void onData() {
    owner.dataCame();
  }

  @Override
  public synchronized void onEnd() {
    if (reader == Reader.REACTOR) {
      reader = Reader.ENDED;
    }
    owner.wireChanged();
  }

  @Override
  public void onOverLimit() {}

  @Override
  synchronized boolean isDraining() {
    return reader == Reader.REACTOR;
  }

  @Override
  synchronized void stopReading() {
    if (phase == Phase.OPEN) {
      if (reader == Reader.REACTOR) {
        intake.takeRest();
      }
      if (reader == Reader.REACTOR) {
        reader = Reader.CUT;
      }
      intake.detach();
      phase = Phase.STOPPED;
    }
  }

  @Override
  synchronized boolean isWhole() {
    return reader != Reader.CUT;
  }

  @Override
  synchronized void close() {
    closeChildSide();
    phase = Phase.CLOSED;
    intake.close();
    Reactor.get().release(intake);
  }

  /** The child never came to be: nobody will read. */
  void abandon() {
    close();
    end.close();
  }
}
