package dev.holdfast.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The control: what a scope would be that spawns first and registers after. A halt that comes while
 * a process is being started finds nothing to end, and the process is refused when it is there.
 */
final class SpawnFirst {
  private final List<Process> registered = new ArrayList<>(); // guarded by this
  private boolean halted; // guarded by this

  /** False when it is halted. */
  boolean spawn(List<String> command) throws IOException {
    if (isHalted()) {
      return false;
    }
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return register(process);
  }

  private synchronized boolean isHalted() {
    return halted;
  }

  private synchronized boolean register(Process process) {
    return !halted && registered.add(process);
  }

  synchronized void halt() {
    halted = true;
    registered.forEach(Process::destroyForcibly);
  }
}
