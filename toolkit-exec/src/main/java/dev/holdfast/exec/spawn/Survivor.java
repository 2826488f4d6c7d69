package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.exec.identity.ProcessDescription;

/** Names a process that is alive although it should not be. */
final class Survivor {
  private Survivor() {}

  static String describe(ProcStat stat) {
    return "pid %d (state %s, '%s')"
        .formatted(stat.pid(), stat.state(), ProcessDescription.command(stat.pid()));
  }
}
