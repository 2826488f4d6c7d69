package dev.holdfast.exec.outlive;

import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.VictimJvmBuilder;

/** The ways in which an {@link OwnerVictim} ends. */
enum Death {
  KILL("KILL", 137),
  ABRT("ABRT", 134),
  HALT("halt 7", 7),
  HUP("HUP", 129),
  INT("INT", 130),
  TERM("TERM", 143),
  EXIT("exit 3", 3),
  RETURN("return", 0);

  private final String how;
  private final int status;

  Death(String how, int status) {
    this.how = how;
    this.status = status;
  }

  /** What wait(2) tells of it; a signal counts from 128. */
  int status() {
    return status;
  }

  /** Whether the JVM runs its shutdown hooks. */
  boolean runsHooks() {
    return ordinal() >= HUP.ordinal();
  }

  private boolean isSignal() {
    return how.equals(name());
  }

  /** Begins it, and does not wait. */
  void strike(VictimJvm victim) {
    if (!isSignal()) {
      victim.send(how);
    } else if (this == KILL) {
      victim.kill();
    } else if (!victim.signal(how)) {
      throw new AssertionError(victim + " could not be sent " + how + ".");
    }
  }

  /** A shell's background job, as a CI's build may be, would hand on signals that are ignored. */
  static VictimJvmBuilder deadly(VictimJvmBuilder victim) {
    return victim.under("env", "--default-signal=HUP,INT,TERM,ABRT");
  }
}
