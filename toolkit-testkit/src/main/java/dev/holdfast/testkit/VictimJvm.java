package dev.holdfast.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Another JVM, to be killed: it runs a main class of the test's own class path, speaks in lines on
 * stdout, takes commands on stdin, and leaves nothing behind once {@link #close()} has returned.
 *
 * <pre>{@code
 * try (var victim = VictimJvm.builder(Owner.class).marker(marker).arg("tree").start()) {
 *   victim.await("ready");
 *   victim.kill();
 *   Census.of(marker).except(victim.pid()).awaitGone(Duration.ofSeconds(2));
 * }
 * }</pre>
 *
 * <p>May be used from any thread; waits keep an interrupt for later.
 */
public final class VictimJvm implements AutoCloseable {

  /** How long {@link #await(String)} and {@link #waitStatus()} wait: 30 seconds. */
  public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);

  static final String MARKER_PROPERTY = "holdfast.testkit.marker";

  private final Process process;
  private final Path directory;
  private final OutputLines stdout;
  private final OutputLines stderr;

  VictimJvm(List<String> argv, ProcessBuilder builder, Path directory, Trigger trigger)
      throws IOException {
    this.directory = directory;
    process = builder.command(argv).directory(directory.toFile()).start();
    stdout = new OutputLines(process.getInputStream(), "victim-stdout", trigger.on(process));
    stderr = new OutputLines(process.getErrorStream(), "victim-stderr", line -> {});
  }

  /** What happens on the thread that reads stdout when a line arrives. */
  interface Trigger {
    Consumer<String> on(Process process);
  }

  /**
   * Prepares a victim.
   *
   * @param main a class with a main method, on this JVM's class path
   * @return a builder, which may start several
   */
  public static VictimJvmBuilder builder(Class<?> main) {
    return new VictimJvmBuilder(Objects.requireNonNull(main, "main").getName());
  }

  /**
   * Its process id. A prefix that forks instead of becoming the JVM, such as strace, has its own.
   *
   * @return the pid
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Whether it has not been reaped yet.
   *
   * @return true while it runs
   */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Waits for a line on stdout, for 30 seconds at most.
   *
   * @param prefix how the line begins
   * @return the line; a later call looks behind it
   * @throws AssertionError if the time is up or the output ends first, with all output so far
   */
  public String await(String prefix) {
    return await(prefix, DEFAULT_LIMIT);
  }

  /**
   * Waits for a line on stdout.
   *
   * @param prefix how the line begins
   * @param limit how long to wait
   * @return the line; a later call looks behind it
   * @throws AssertionError if the time is up or the output ends first, with all output so far
   */
  public String await(String prefix, Duration limit) {
    return stdout
        .await(prefix, limit)
        .orElseThrow(
            () -> new AssertionError(this + " did not print \"" + prefix + "\"." + output()));
  }

  /**
   * The lines of stdout so far.
   *
   * @return a copy
   */
  public List<String> lines() {
    return stdout.all();
  }

  /**
   * The lines of stderr so far.
   *
   * @return a copy
   */
  public List<String> errorLines() {
    return stderr.all();
  }

  /**
   * Sends it a line on stdin.
   *
   * @param line the command, without its line end
   * @throws UncheckedIOException if it no longer reads
   */
  public void send(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(this + " takes no commands any more." + output(), e);
    }
  }

  /** Sends SIGKILL, and returns without waiting for the end. Does nothing if it has ended. */
  public void kill() {
    process.destroyForcibly();
  }

  /**
   * Sends a signal.
   *
   * @param name the signal's name without SIG, such as {@code TERM}
   * @return false if the victim has been reaped before
   */
  public boolean signal(String name) {
    return process.isAlive() && Signals.send(name, pid());
  }

  /**
   * Waits for its end, for 30 seconds at most.
   *
   * @return its exit status, 128+n if signal n ended it
   * @throws AssertionError if it does not end, with its output
   */
  public int waitStatus() {
    return waitStatus(DEFAULT_LIMIT);
  }

  /**
   * Waits for its end.
   *
   * @param limit how long to wait
   * @return its exit status, 128+n if signal n ended it
   * @throws AssertionError if it does not end, with its output
   */
  public int waitStatus(Duration limit) {
    if (!Uninterrupted.waitFor(process, limit)) {
      throw new AssertionError(this + " did not end within " + limit + "." + output());
    }
    return process.exitValue();
  }

  /**
   * All that it has printed, for a failure message.
   *
   * @return several lines, which begin with a line end
   */
  public String output() {
    return "\n--- stdout:" + Census.lines(lines()) + "\n--- stderr:" + Census.lines(errorLines());
  }

  /** Kills and reaps it, and deletes its working and temporary directory. Idempotent. */
  @Override
  public void close() {
    process.destroyForcibly();
    Uninterrupted.waitFor(process);
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // A line that was still buffered has no reader; the descriptor is closed all the same.
    }
    stdout.awaitEnd(Duration.ofSeconds(1));
    stderr.awaitEnd(Duration.ofSeconds(1));
    TempTree.delete(directory);
  }

  /** Returns what a failure message calls it. */
  @Override
  public String toString() {
    return "The victim JVM " + pid() + (isAlive() ? " (alive)" : " (ended)");
  }
}
