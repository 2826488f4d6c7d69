package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends signals by pid, without native calls: KILL through the JDK, others through {@code sh}. */
final class Signals {

  private Signals() {}

  /** Whether the signal was sent; false means that there was no such process any more. */
  static boolean send(String signal, long pid) {
    if (pid <= 1 || pid == ProcessHandle.current().pid()) {
      throw new IllegalArgumentException("The testkit never signals process " + pid + ".");
    }
    if (signal.equals("KILL")) {
      return ProcessHandle.of(pid).map(ProcessHandle::destroyForcibly).orElse(false);
    }
    try {
      var sender =
          new ProcessBuilder("/bin/sh", "-c", "kill -s \"$0\" \"$1\"", signal, Long.toString(pid))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      sender.getOutputStream().close();
      return Uninterrupted.waitFor(sender) == 0;
    } catch (IOException e) {
      throw new UncheckedIOException("/bin/sh can't be started to send a signal.", e);
    }
  }
}
