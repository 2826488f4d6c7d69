package dev.holdfast.exec.spawn;

import dev.holdfast.exec.pipe.Sink;
import dev.holdfast.exec.reactor.Intake;
import dev.holdfast.exec.reactor.Reactor;

/** Output that the reactor itself puts into a sink. */
final class CollectedWire extends Wire implements Intake.Owner {
  private final Intake intake;
  private final Owner owner;
  private boolean draining; // reactor's thread, or before the child exists

  CollectedWire(Sink sink, Owner owner) {
    this.owner = owner;
    this.intake = new Intake(sink, this);
  }

  @Override
  void prepare() {
    Reactor.get().reserve(intake);
    int ours = pipe(true);
    requireTaken(intake.adopt(ours), ours);
    draining = true;
  }

  @Override
  public void onData() {
    owner.dataCame();
  }

  @Override
  public void onEnd() {
    draining = false;
    owner.wireChanged();
  }

  @Override
  public void onOverLimit() {
    owner.overLimit();
  }

  @Override
  boolean isDraining() {
    return draining;
  }

  @Override
  void cut() {
    intake.detach();
    draining = false;
  }

  @Override
  void close() {
    closeChildSide();
    intake.close();
    Reactor.get().release(intake);
  }
}
