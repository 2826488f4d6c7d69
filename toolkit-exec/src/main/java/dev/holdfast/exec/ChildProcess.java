package dev.holdfast.exec;

import dev.holdfast.exec.libc.Waits;
import dev.holdfast.exec.pipe.Sink;
import dev.holdfast.exec.reactor.ReadEnd;
import dev.holdfast.exec.reactor.WriteEnd;
import dev.holdfast.exec.spawn.Child;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A process that a scope has started and owns. Three ends are kept apart: {@link #exited()}, {@link
 * #outputDrained()} and {@link #treeGone()}; none of them waits for another's reason.
 *
 * <p>All methods are for any thread, but each stream has one reader or writer at a time. The handle
 * owns nothing: dropping it changes nothing.
 */
public final class ChildProcess implements ProcessView {
  private final Child child;
  private final Command command;
  private final Planner.Kept stdoutKept;
  private final Planner.Kept stderrKept;
  private @Nullable PipeInput stdout; // guarded by this
  private @Nullable PipeInput stderr; // guarded by this
  private @Nullable PipeOutput stdin; // guarded by this

  ChildProcess(Child child, Command command, Planner.Kept stdoutKept, Planner.Kept stderrKept) {
    this.child = child;
    this.command = command;
    this.stdoutKept = stdoutKept;
    this.stderrKept = stderrKept;
  }

  @Override
  public long pid() {
    return child.pid();
  }

  @Override
  public ProcessIdentity identity() {
    Child.Identity identity = child.identity();
    return new ProcessIdentity(
        identity.bootId(), identity.pidNamespace(), child.pid(), identity.startTicks());
  }

  @Override
  public boolean isAlive() {
    return !child.exited.hasHappened();
  }

  @Override
  public boolean signal(Signal signal) {
    Objects.requireNonNull(signal, "signal");
    return child.signal(signal.number());
  }

  @Override
  public CompletableFuture<ExitStatus> exited() {
    return child.exited.future().thenApply(_ -> status());
  }

  /**
   * The end of the output: the streams have ended, or the drain grace was over: 250 ms without a
   * byte after the exit, at most 2 s. Streams that the caller reads itself are not waited for.
   *
   * @return a new future, true when nothing was cut
   */
  public CompletableFuture<Boolean> outputDrained() {
    return child.drained.future().thenApply(_ -> child.isComplete());
  }

  /**
   * The end of the last process of the tree, as far as the {@link Containment} reaches.
   *
   * @return a new future
   */
  public CompletableFuture<@Nullable Void> treeGone() {
    return child.treeGone.future().thenApply(_ -> null);
  }

  /**
   * Waits for the exit and the drain. Output of a pipe that nobody has begun to read is drained
   * into a tail. Descendants may live on; they are the scope's.
   *
   * @return how it ended; any status is a result
   * @throws InterruptedException when interrupted; the child stays with its scope
   * @throws ExecException when a sink of the caller's has failed, or a capture's limit was passed
   *     with {@link Overflow#FAIL}
   */
  public Result join() throws InterruptedException {
    child.collectUnread();
    child.drained.await(); // the last to come, so one wait in all but rare cases
    child.exited.await();
    return result();
  }

  /**
   * As {@link #join()}, for a while.
   *
   * @param timeout how long to wait at most
   * @return how it ended, or empty when the time is up; the child is untouched then
   * @throws InterruptedException when interrupted; the child stays with its scope
   * @throws ExecException as {@link #join()}
   */
  public Optional<Result> join(Duration timeout) throws InterruptedException {
    long nanos = TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(timeout, "timeout"));
    long start = System.nanoTime();
    child.collectUnread();
    boolean over =
        child.drained.await(nanos) && child.exited.await(nanos - (System.nanoTime() - start));
    return over ? Optional.of(result()) : Optional.empty();
  }

  /**
   * Ends the tree by its stop policy and waits until it is gone. A second caller joins the first.
   * An interrupt doesn't end the wait; it is kept in the flag.
   *
   * @return how the child ended; {@link ExitStatus.Unknown} when something has outlived SIGKILL
   * @throws ExecException as {@link #join()}
   */
  public Result stop() {
    child.collectUnread();
    child.stop();
    child.departed.awaitUninterruptibly();
    return result();
  }

  /**
   * As {@link #stop()}, but with SIGKILL at once; overtakes a stop that is under way.
   *
   * @return how the child ended; {@link ExitStatus.Unknown} when something has outlived SIGKILL
   * @throws ExecException as {@link #join()}
   */
  public Result kill() {
    child.collectUnread();
    child.kill();
    child.departed.awaitUninterruptibly();
    return result();
  }

  /**
   * The child's standard input. Closing it lets the child read the end of the stream; a child that
   * has closed its end makes a write throw an {@code IOException}.
   *
   * @return the one stream
   * @throws IllegalStateException when the command has no {@code stdin(Input.pipe())}
   */
  public synchronized OutputStream stdin() {
    if (stdin == null) {
      WriteEnd end = child.stdin();
      if (end == null) {
        throw new IllegalStateException(
            "The stdin of %s is not a pipe of yours; choose stdin(Input.pipe())."
                .formatted(command));
      }
      stdin = new PipeOutput(end);
    }
    return stdin;
  }

  /**
   * The child's standard output. It can be read on after the child's end, until the scope closes.
   *
   * @return the one stream
   * @throws IllegalStateException when the command has no {@code stdout(Output.pipe())}, or a
   *     {@code join} has collected what nobody had begun to read
   */
  public synchronized InputStream stdout() {
    if (stdout == null) {
      stdout = begin(false, "stdout");
    }
    return stdout;
  }

  /**
   * The child's standard error, as {@link #stdout()}.
   *
   * @return the one stream
   * @throws IllegalStateException when the command has no {@code stderr(Output.pipe())}, or a
   *     {@code join} has collected what nobody had begun to read
   */
  public synchronized InputStream stderr() {
    if (stderr == null) {
      stderr = begin(true, "stderr");
    }
    return stderr;
  }

  private PipeInput begin(boolean error, String name) {
    ReadEnd end = child.beginToRead(error);
    if (end == null) {
      throw new IllegalStateException(
          "The %s of %s is not a pipe of yours; choose %s(Output.pipe()), and begin to read before join()."
              .formatted(name, command, name));
    }
    return new PipeInput(end);
  }

  /**
   * The lines of {@link #stdout()} in the command's charset, read as they are asked for.
   *
   * @return the lines; to be consumed once
   * @throws IllegalStateException as {@link #stdout()}
   */
  public Stream<String> lines() {
    return new BufferedReader(new InputStreamReader(stdout(), command.charset())).lines();
  }

  /**
   * What is known of the end of the output right now.
   *
   * @return the tails; null for a stream that is not kept
   */
  public Tails tails() {
    return new Tails(text(stdoutKept.sink()), text(stderrKept.sink()));
  }

  private @Nullable String text(@Nullable Sink sink) {
    return sink == null ? null : new String(sink.content(), command.charset());
  }

  /**
   * The ends of the two outputs.
   *
   * @param stdout of standard output; null when it is not kept
   * @param stderr of standard error; null when it is not kept
   */
  public record Tails(@Nullable String stdout, @Nullable String stderr) {}

  private ExitStatus status() {
    String unknown = child.unknownStatus();
    if (unknown != null) {
      return new ExitStatus.Unknown(unknown);
    }
    int status = child.status();
    return Waits.exited(status)
        ? new ExitStatus.Exited(Waits.exitCode(status))
        : new ExitStatus.Signaled(Signal.of(Waits.signal(status)), Waits.coreDumped(status));
  }

  /** After the exit and the drain. */
  private Result result() {
    Result result = plainResult();
    Throwable thrown = child.sinkFailure();
    if (thrown != null) {
      child.failureTold();
      throw sinkFailed(result, thrown);
    }
    if (overflowed(stdoutKept) || overflowed(stderrKept)) {
      throw new ExecException(
          ExecException.Reason.OUTPUT_LIMIT,
          "%s has written more than its capture holds, and was ended; choose a larger limit, another Overflow, or Output.tail()."
              .formatted(command),
          result,
          null);
    }
    return result;
  }

  private static boolean overflowed(Planner.Kept kept) {
    return kept.output() instanceof Outputs.Capture capture
        && capture.overflow() == Overflow.FAIL
        && kept.sink() != null
        && kept.sink().truncated();
  }

  /** The failure of a sink, for the scope to throw. */
  ExecException sinkFailure(Throwable thrown) {
    return sinkFailed(plainResult(), thrown);
  }

  private static ExecException sinkFailed(Result result, Throwable thrown) {
    return new ExecException(
        ExecException.Reason.SINK_FAILED,
        "The output of %s could not be delivered: its sink has thrown %s."
            .formatted(result.command(), thrown),
        result,
        thrown);
  }

  private Result plainResult() {
    return new Result(
        command,
        status(),
        child.cause(),
        new Usage(
            Duration.of(child.userMicros(), ChronoUnit.MICROS),
            Duration.of(child.systemMicros(), ChronoUnit.MICROS),
            child.maxRssKib() * 1024),
        Duration.ofNanos(child.durationNanos()),
        child.isComplete(),
        captured(stdoutKept),
        captured(stderrKept));
  }

  private static Captured captured(Planner.Kept kept) {
    if (kept.merged()) {
      return Captured.merged();
    }
    Sink sink = kept.sink();
    return sink == null
        ? Captured.wentTo(kept.output())
        : Captured.kept(sink.content(), sink.truncated());
  }

  /** For the scope: the end of a run that was interrupted. */
  void stopAndForget() {
    child.stop();
    child.departed.awaitUninterruptibly();
  }

  @Override
  public String toString() {
    return "ChildProcess[" + child + "]";
  }
}
