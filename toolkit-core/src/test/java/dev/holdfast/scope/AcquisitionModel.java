package dev.holdfast.scope;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The protocol of acquisition, halt and close as a transition system: every thread is a program
 * counter, every step is what the code does atomically, and at each step of an acquisition an Error
 * may strike instead. Steps that the code makes under the scope's lock are one step here.
 */
final class AcquisitionModel {
  /** A rule of the protocol that is taken out. */
  enum Mutant {
    NONE,
    /** The process is made before its slot is armed. */
    SPAWN_BEFORE_ARM,
    /** Whether the scope is halted is asked before the lock is taken. */
    REFUSAL_OUTSIDE_THE_LOCK,
    /** A STOP that comes before ADOPT is not kept. */
    STOP_BEFORE_ADOPT_DROPPED,
    /** On a Throwable the slot withdraws, whatever the cell of the pid says. */
    TRUST_THE_EXCEPTION,
    /**
     * Nothing is posted for a spawn that ended in an Error, and later halts don't say it either.
     */
    NOT_PUBLISHED_ON_ERROR,
    /** A halt doesn't say again what the spawning thread could not post. */
    HALT_DOES_NOT_REPEAT,
    /** Close asks once. */
    CLOSE_ASKS_ONCE,
    /** Close doesn't wait for the ring to be empty. */
    CLOSE_DOES_NOT_WAIT,
    /** The slot leaves when KILL is sent, not when the process is gone. */
    LEAVE_BEFORE_THE_END,
    /** The keeper ends with the halt, not with the last slot. */
    KEEPER_ENDS_EARLY,
    /** An attempt that failed leaves, and the next one doesn't arm anew. */
    RETRY_DOES_NOT_ARM
  }

  /** Who takes part. */
  record Cast(int acquirers, boolean halter, boolean closer, int errors, int retries) {}

  private static final int STOP = 1;
  private static final int ADOPT = 2;
  private static final int DISCARD = 4;

  // The acquirer's program.
  private static final int PREPARE = 0;
  private static final int CHECK = 1; // for REFUSAL_OUTSIDE_THE_LOCK alone
  private static final int ARM = 2;
  private static final int SPAWN = 3;
  private static final int WIRE = 4;
  private static final int PUBLISH = 5;
  private static final int HAND_OVER = 6;
  private static final int GIVE_UP = 7;
  private static final int DONE = 8;

  // The reactor's view of a child.
  private static final int UNKNOWN = 0;
  private static final int RUNNING = 1;
  private static final int OVER = 2;

  private final Mutant mutant;
  private final Cast cast;

  AcquisitionModel(Mutant mutant, Cast cast) {
    this.mutant = mutant;
    this.cast = cast;
  }

  /** One state. The arrays are indexed by child. */
  final class State {
    final int[] pc;
    final boolean[] prepared;
    final boolean[] ring;
    final boolean[] cell;
    final boolean[] alive;
    final boolean[] handedOver;
    final boolean[] unheard; // an Error struck at the request to close what was prepared
    final int[] posted;
    final int[] kept;
    final int[] view;
    final int[] retries;
    int errors;
    boolean halted;
    boolean halterDone;
    int closer; // 0 before, 1 asked once, 2 closed
    boolean keeperDone;

    State() {
      int n = cast.acquirers();
      pc = new int[n];
      prepared = new boolean[n];
      ring = new boolean[n];
      cell = new boolean[n];
      alive = new boolean[n];
      handedOver = new boolean[n];
      unheard = new boolean[n];
      posted = new int[n];
      kept = new int[n];
      view = new int[n];
      retries = new int[n];
      errors = cast.errors();
      Arrays.fill(retries, cast.retries());
      halterDone = !cast.halter();
      closer = cast.closer() ? 0 : 2;
    }

    State(State other) {
      pc = other.pc.clone();
      prepared = other.prepared.clone();
      ring = other.ring.clone();
      cell = other.cell.clone();
      alive = other.alive.clone();
      handedOver = other.handedOver.clone();
      unheard = other.unheard.clone();
      posted = other.posted.clone();
      kept = other.kept.clone();
      view = other.view.clone();
      retries = other.retries.clone();
      errors = other.errors;
      halted = other.halted;
      halterDone = other.halterDone;
      closer = other.closer;
      keeperDone = other.keeperDone;
    }

    String key() {
      StringBuilder text = new StringBuilder(80);
      for (int k = 0; k < pc.length; k++) {
        text.append((char) ('a' + pc[k])).append(posted[k]).append(kept[k]).append(view[k]);
        text.append(retries[k]).append(bits(prepared[k], ring[k], cell[k]));
        text.append(bits(alive[k], handedOver[k], unheard[k]));
      }
      return text.append(errors)
          .append(bits(halted, halterDone, keeperDone))
          .append(closer)
          .toString();
    }

    private int bits(boolean a, boolean b, boolean c) {
      return (a ? 1 : 0) + (b ? 2 : 0) + (c ? 4 : 0);
    }

    boolean ringIsEmpty() {
      for (boolean member : ring) {
        if (member) {
          return false;
        }
      }
      return true;
    }

    /** What must hold in every state; null when it does. */
    String violation() {
      for (int k = 0; k < pc.length; k++) {
        if (alive[k] && !ring[k]) {
          return "a process lives and its scope doesn't know it";
        }
        if (alive[k] && closer == 2 && cast.closer()) {
          return "a process lives and its scope is closed";
        }
        if (alive[k] && keeperDone) {
          return "a process lives and the keeper has ended";
        }
      }
      return null;
    }

    /**
     * All that was asked for has come true: nobody waits, nothing lives, nothing is held. What was
     * prepared for a slot that is in no scope may stay open when an Error strikes at the very
     * request to close it: nobody is left who could ask again.
     */
    boolean isGood() {
      for (int k = 0; k < pc.length; k++) {
        boolean held = prepared[k] && view[k] != OVER && !unheard[k];
        if (pc[k] != DONE || alive[k] || ring[k] || held) {
          return false;
        }
      }
      return halterDone && closer == 2 && keeperDone;
    }

    /** All states that one step leads to. */
    List<State> next() {
      List<State> states = new ArrayList<>();
      for (int k = 0; k < pc.length; k++) {
        acquirer(k, states);
        reactor(k, states);
        child(k, states);
      }
      halter(states);
      closer(states);
      keeper(states);
      return states;
    }

    private void step(List<State> states, Consumer<State> change) {
      State state = new State(this);
      change.accept(state);
      states.add(state);
    }

    // ---- the spawning thread

    private void acquirer(int k, List<State> states) {
      boolean early = mutant == Mutant.SPAWN_BEFORE_ARM;
      switch (pc[k]) {
        case PREPARE ->
            step(
                states,
                s -> {
                  s.prepared[k] = true;
                  s.pc[k] = early ? SPAWN : mutant == Mutant.REFUSAL_OUTSIDE_THE_LOCK ? CHECK : ARM;
                });
        case CHECK -> step(states, s -> s.pc[k] = s.halted ? HAND_OVER : ARM);
        case ARM -> step(states, s -> s.arm(k));
        case SPAWN -> {
          step(
              states,
              s -> {
                s.cell[k] = true;
                s.alive[k] = true;
                s.pc[k] = early ? ARM : WIRE;
              });
          step(states, s -> s.spawnRefused(k));
        }
        case WIRE -> step(states, s -> s.pc[k] = PUBLISH);
        case PUBLISH ->
            step(
                states,
                s -> {
                  s.posted[k] |= ADOPT;
                  s.pc[k] = HAND_OVER;
                });
        case HAND_OVER ->
            step(
                states,
                s -> {
                  s.handedOver[k] = true;
                  s.pc[k] = s.isPublished(k) ? DONE : GIVE_UP;
                });
        case GIVE_UP ->
            step(
                states,
                s -> {
                  s.giveUp(k);
                  s.pc[k] = DONE;
                });
        default -> {}
      }
      strike(k, states);
    }

    private boolean isPublished(int k) {
      return (posted[k] & ADOPT) != 0 || view[k] != UNKNOWN;
    }

    private void arm(int k) {
      boolean refused = halted && mutant != Mutant.REFUSAL_OUTSIDE_THE_LOCK;
      if (refused) {
        pc[k] = HAND_OVER;
        return;
      }
      ring[k] = true;
      pc[k] = mutant == Mutant.SPAWN_BEFORE_ARM ? WIRE : SPAWN;
    }

    /** The call says no: the slot leaves, and may arm anew for another attempt. */
    private void spawnRefused(int k) {
      ring[k] = false;
      if (retries[k] > 0) {
        retries[k]--;
        pc[k] = mutant == Mutant.RETRY_DOES_NOT_ARM ? SPAWN : ARM;
      } else {
        pc[k] = HAND_OVER;
      }
    }

    private void giveUp(int k) {
      if (mutant == Mutant.NOT_PUBLISHED_ON_ERROR && cell[k]) {
        handedOver[k] = false;
        return;
      }
      if (mutant == Mutant.TRUST_THE_EXCEPTION) {
        ring[k] = false;
        posted[k] |= DISCARD;
        return;
      }
      posted[k] |= STOP | outcome(k);
    }

    private int outcome(int k) {
      if (!handedOver[k]) {
        return 0;
      }
      return cell[k] ? ADOPT : DISCARD;
    }

    /** An Error in the place of the step: what the finally blocks do comes next. */
    private void strike(int k, List<State> states) {
      if (errors == 0 || pc[k] == DONE) {
        return;
      }
      step(
          states,
          s -> {
            s.errors--;
            // handedOver is a mere write: nothing can strike it.
            s.handedOver[k] = true;
            if (s.pc[k] == PREPARE) {
              s.prepared[k] = true;
            }
            s.unheard[k] |= s.pc[k] == GIVE_UP && !s.ring[k];
            s.pc[k] = s.pc[k] == GIVE_UP || s.isPublished(k) ? DONE : GIVE_UP;
          });
    }

    // ---- whoever halts

    private void ask() {
      halted = true;
      for (int k = 0; k < pc.length; k++) {
        if (ring[k]) {
          posted[k] |= STOP | (mutant == Mutant.HALT_DOES_NOT_REPEAT ? 0 : outcome(k));
        }
      }
    }

    private void halter(List<State> states) {
      if (!halterDone) {
        step(
            states,
            s -> {
              s.ask();
              s.halterDone = true;
            });
      }
    }

    private void closer(List<State> states) {
      if (closer == 0) {
        step(
            states,
            s -> {
              s.ask();
              s.closer = 1;
            });
      } else if (closer == 1) {
        if (ringIsEmpty() || mutant == Mutant.CLOSE_DOES_NOT_WAIT) {
          step(states, s -> s.closer = 2);
        } else if (mutant != Mutant.CLOSE_ASKS_ONCE) {
          step(states, State::ask);
        }
      }
    }

    private void keeper(List<State> states) {
      boolean ends = halted && (ringIsEmpty() || mutant == Mutant.KEEPER_ENDS_EARLY);
      if (ends && !keeperDone) {
        step(states, s -> s.keeperDone = true);
      }
    }

    // ---- the reactor

    private void reactor(int k, List<State> states) {
      if (view[k] == OVER || (posted[k] == 0 && view[k] == UNKNOWN)) {
        return;
      }
      if (posted[k] != 0) {
        step(states, s -> s.advance(k));
      }
      if (view[k] == RUNNING && (kept[k] & STOP) != 0 && alive[k]) {
        step(states, s -> s.kill(k));
      }
      if (view[k] == RUNNING && !alive[k]) {
        step(
            states,
            s -> {
              s.ring[k] = false;
              s.view[k] = OVER;
            });
      }
    }

    private void advance(int k) {
      int requests = posted[k];
      posted[k] = 0;
      boolean drops = mutant == Mutant.STOP_BEFORE_ADOPT_DROPPED && view[k] == UNKNOWN;
      kept[k] |= drops && (requests & ADOPT) == 0 ? 0 : requests & STOP;
      if (view[k] != UNKNOWN) {
        return;
      }
      if ((requests & DISCARD) != 0) {
        view[k] = OVER;
        ring[k] = false;
      } else if ((requests & ADOPT) != 0) {
        view[k] = RUNNING;
      }
    }

    private void kill(int k) {
      if (mutant == Mutant.LEAVE_BEFORE_THE_END) {
        ring[k] = false;
      }
      kept[k] |= STOP;
      killed(k);
    }

    private void killed(int k) {
      if (mutant != Mutant.LEAVE_BEFORE_THE_END) {
        alive[k] = false;
      }
    }

    /** The process ends by itself. */
    private void child(int k, List<State> states) {
      if (alive[k] && cast.errors() == 0) {
        step(states, s -> s.alive[k] = false);
      }
    }
  }
}
