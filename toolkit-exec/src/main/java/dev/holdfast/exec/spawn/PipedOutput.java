package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.pipe.Sink;
import dev.holdfast.exec.reactor.Intake;
import dev.holdfast.exec.reactor.Reactor;
import dev.holdfast.exec.reactor.ReadEnd;
import org.jspecify.annotations.Nullable;

/**
 * Output that the caller reads. Who has begun to read keeps the pipe, beyond the end of the child
 * and until its scope closes; what nobody has begun to read can be collected.
 */
final class PipedOutput extends Wire implements Intake.Owner {
  private final OpenEnds openEnds;
  private final Owner owner;
  private final Intake intake;
  private final ReadEnd end;
  private boolean begun; // guarded by this
  private boolean collected; // guarded by this
  private boolean draining; // guarded by this
  private boolean closed; // guarded by this

  PipedOutput(OpenEnds openEnds, Sink unread, Owner owner) {
    this.openEnds = openEnds;
    this.owner = owner;
    this.intake = new Intake(unread, this);
    this.end = openEnds.readEnd();
  }

  @Override
  void prepare() {
    Reactor.get().reserve(end);
    Reactor.get().reserve(intake);
    int ours = pipe(true);
    requireTaken(end.adopt(ours), ours);
    openEnds.add(end);
  }

  /** Any thread. Null when it was collected. */
  synchronized @Nullable ReadEnd begin() {
    begun |= !collected;
    return begun ? end : null;
  }

  /** Any thread: collects what nobody has begun to read. */
  synchronized void collect() {
    if (begun || collected || closed) {
      return;
    }
    int fd = end.release();
    if (fd < 0) {
      return;
    }
    openEnds.forget(end);
    collected = true;
    draining = true;
    int rc = intake.adopt(fd);
    if (rc < 0) {
      Fds.close(fd);
      draining = false;
    }
  }

  synchronized boolean isCollected() {
    return collected;
  }

  @Override
  public void onData() {
    owner.dataCame();
  }

  @Override
  public synchronized void onEnd() {
    draining = false;
    owner.wireChanged();
  }

  @Override
  public void onOverLimit() {}

  @Override
  synchronized boolean isDraining() {
    return draining;
  }

  @Override
  synchronized void cut() {
    intake.detach();
    draining = false;
  }

  @Override
  synchronized void close() {
    closeChildSide();
    closed = true;
    intake.close();
    Reactor.get().release(intake);
  }

  /** The child never came to be: nobody will read. */
  void abandon() {
    close();
    end.close();
  }
}
