package dev.holdfast.exec;

import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.spawn.Covers;
import java.util.ArrayList;
import java.util.List;

/** What this kernel gives, found once. */
final class Protections {
  private Protections() {}

  static Protection of(ScopeOptions options) {
    List<String> notes = new ArrayList<>();
    Protection.Tripwire tripwire =
        switch (Covers.tripwire()) {
          case BEFORE_SPAWN -> Protection.Tripwire.ARMED_BEFORE_SPAWN;
          case AFTER_SPAWN -> {
            notes.add(
                "clone is refused here, so a child is armed after its spawn: a JVM that is killed"
                    + " in the microseconds between leaves it.");
            yield Protection.Tripwire.ARMED_AFTER_SPAWN;
          }
          case NONE -> {
            notes.add(
                "The kernel sends no signal for a pipe here, so a JVM that is killed by SIGKILL"
                    + " leaves its children.");
            yield Protection.Tripwire.NONE;
          }
        };
    Protection.GroupSignal groupSignal = Protection.GroupSignal.PIDFD;
    if (!Signals.hasGroupSignals()) {
      groupSignal = Protection.GroupSignal.PINNED_LEADER;
      notes.add(
          "Before Linux 6.9 a process group is signalled by its number, which is pinned by a"
              + " process that is not reaped.");
    }
    return new Protection(
        tripwire, groupSignal, options.containment().orElse(Containment.TREE), notes);
  }
}
