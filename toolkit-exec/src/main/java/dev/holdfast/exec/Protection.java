package dev.holdfast.exec;

import java.util.List;
import java.util.Objects;

/**
 * What stands between the processes of a scope and outliving it: what this kernel gives, and what
 * the scope obtained.
 *
 * @param tripwire how the tree is ended if the JVM itself is killed
 * @param groupSignal what keeps a signal from reaching a stranger whose group has a reused number
 * @param containment how far the ending of a tree reaches
 * @param notes whole sentences about everything that is less than the best, and how to mend it;
 *     empty if nothing is
 */
public record Protection(
    Tripwire tripwire, GroupSignal groupSignal, Containment containment, List<String> notes) {

  /** How the kernel ends a tree whose JVM died without a chance to do it; the weakest first. */
  public enum Tripwire {
    /** Nothing ends the tree when the JVM is killed with SIGKILL; the notes say why. */
    NONE,
    /** Armed as soon as the child runs; a JVM killed within this spawn may leave the child. */
    ARMED_AFTER_SPAWN,
    /** Armed on the child's group before the child exists; no moment of a spawn is open. */
    ARMED_BEFORE_SPAWN
  }

  /** How signals reach a group and never another one of the same number; the weakest first. */
  public enum GroupSignal {
    /** An unreaped leader pins the number of the group, which is signalled before the reap. */
    PINNED_LEADER,
    /** Through a pidfd of the group; Linux 6.9 and newer. See {@code pidfd_send_signal(2)}. */
    PIDFD
  }

  /** Makes a protection of its parts; the notes are copied. */
  public Protection {
    Objects.requireNonNull(tripwire, "tripwire");
    Objects.requireNonNull(groupSignal, "groupSignal");
    Objects.requireNonNull(containment, "containment");
    notes = List.copyOf(Objects.requireNonNull(notes, "notes"));
  }
}
