package dev.holdfast.exec.spawn;

import dev.holdfast.exec.pipe.Sink;
import dev.holdfast.exec.reactor.Intake;
import dev.holdfast.exec.reactor.Reactor;

/** Output that the reactor itself puts into a sink. */
final class CollectedWire extends Wire implements Intake.Owner {
  /** How far the output is. */
  private enum State {
    COMING,
    ENDED,
    CUT
  }

  private final Intake intake;
  private final Owner owner;
  private State state = State.ENDED; // reactor's thread, or before the child exists

  CollectedWire(Sink sink, Owner owner) {
    this.owner = owner;
    this.intake = new Intake(sink, this);
  }

  @Override
  void prepare() {
    Reactor.get().reserve(intake);
    int ours = pipe(true);
    requireTaken(intake.adopt(ours));
    state = State.COMING;
  }

  @Override
  public void onData() {
    owner.dataCame();
  }

  @Override
  public void onEnd() {
    if (state == State.COMING) {
      state = State.ENDED;
    }
    owner.wireChanged();
  }

  @Override
  public void onOverLimit() {
    owner.overLimit();
  }

  @Override
  boolean isDraining() {
    return state == State.COMING;
  }

  @Override
  void stopReading() {
    if (state == State.COMING) {
      intake.takeRest();
      intake.detach();
      state = state == State.COMING ? State.CUT : state;
    }
  }

  @Override
  boolean isWhole() {
    return state != State.CUT;
  }

  @Override
  void close() {
    closeChildSide();
    intake.close();
    Reactor.get().release(intake);
  }
}
