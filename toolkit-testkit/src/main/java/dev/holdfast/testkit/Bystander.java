package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * An innocent process: in a session and group of its own, without a marker, of no interest to the
 * code under test. It must be alive at the end; one that is not was hit by a stray signal.
 *
 * <p>May be used from any thread. Closing it ends it.
 */
public final class Bystander implements AutoCloseable {

  private final Process process;

  private Bystander(Process process) {
    this.process = process;
  }

  /**
   * Starts a bystander, and returns when it stands in its own session. It ends by itself after an
   * hour.
   *
   * @return the bystander
   */
  public static Bystander start() {
    try {
      var process =
          new ProcessBuilder("setsid", "sleep", "3600")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      var bystander = new Bystander(process);
      bystander.awaitOwnSession();
      return bystander;
    } catch (IOException e) {
      throw new UncheckedIOException("A bystander needs the programs setsid and sleep.", e);
    }
  }

  /**
   * Its process id, which is also its group and its session.
   *
   * @return the pid
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Asserts that it is alive and not stopped.
   *
   * @throws AssertionError that says how it ended
   */
  public void assertUnharmed() {
    if (!process.isAlive()) {
      throw new AssertionError(
          "The bystander, process %d, was harmed: it ended with status %d."
              .formatted(pid(), process.exitValue()));
    }
    var entry = entry();
    if (entry.map(e -> e.isStopped() || e.isZombie()).orElse(true)) {
      throw new AssertionError(
          "The bystander, process %d, was harmed: %s"
              .formatted(pid(), entry.map(ProcessEntry::toString).orElse("it is gone")));
    }
  }

  /** Ends the bystander, harmed or not, and reaps it. */
  @Override
  public void close() {
    process.destroyForcibly();
    Uninterrupted.waitFor(process);
  }

  private void awaitOwnSession() {
    var command = "sleep 3600"; // what the program setsid has become once it stands in its session
    boolean stands =
        Patience.until(
            java.time.Duration.ofSeconds(10),
            () -> entry().filter(e -> e.sid() == pid() && e.command().equals(command)).isPresent());
    if (!stands) {
      close();
      throw new AssertionError("The bystander did not get a session of its own.");
    }
  }

  private Optional<ProcessEntry> entry() {
    return ProcFs.entry(pid());
  }
}
