package dev.holdfast.exec;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * How a process tree is ended: a ladder of steps that is climbed until no process of the tree is
 * left, and whose last rung is always KILL. Immutable data; each step method returns a copy with
 * that step added before the KILL.
 *
 * <pre>{@code
 * StopPolicy.steps().write("q\n").await(Duration.ofSeconds(10)).signal(Signal.INT).await(...)
 * }</pre>
 *
 * <p>Signals go to the whole tree, not to the leader alone, and the ladder ends when the tree is
 * gone, not when the leader is. Once begun it can't be cancelled; a stronger request, such as
 * {@code kill()}, passes a weaker one. Steps follow one another at once; only {@link
 * #await(Duration)} gives the tree time. A step that fails is logged and does not stop the ladder.
 */
public final class StopPolicy {
  /** How long {@link #standard()} waits after TERM: 5 s. */
  public static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);

  /**
   * How long the end of the tree is waited for after KILL: 5 s. A process that is left then, as one
   * in uninterruptible sleep (state D), is reported by its pid.
   */
  public static final Duration KILL_WAIT = Duration.ofSeconds(5);

  private static final StopPolicy KILL = new StopPolicy(List.of());
  private static final StopPolicy STANDARD = graceful(DEFAULT_GRACE);

  private final List<StopStep> steps;

  private StopPolicy(List<StopStep> steps) {
    this.steps = steps;
  }

  /**
   * The default: TERM, {@link #DEFAULT_GRACE}, KILL.
   *
   * @return this policy
   */
  public static StopPolicy standard() {
    return STANDARD;
  }

  /**
   * TERM, a grace, KILL.
   *
   * @param grace how long the tree has after TERM; zero gives it none
   * @return this policy
   * @throws IllegalArgumentException if the grace is negative
   */
  public static StopPolicy graceful(Duration grace) {
    return steps().signal(Signal.TERM).await(Objects.requireNonNull(grace, "grace"));
  }

  /**
   * KILL at once.
   *
   * @return this policy
   */
  public static StopPolicy kill() {
    return KILL;
  }

  /**
   * A ladder to build: without any step yet it is {@link #kill()}.
   *
   * @return this policy
   */
  public static StopPolicy steps() {
    return KILL;
  }

  /**
   * Adds: close the child's standard input, so that a filter ends by itself. Does nothing unless
   * that is fed by us.
   *
   * @return a copy with this step
   */
  public StopPolicy closeStdin() {
    return with(new StopStep.CloseStdin());
  }

  /**
   * Adds: write a text to the child's standard input, in the command's charset. Does nothing unless
   * that is {@link Input#pipe()} and still open; what does not fit into the pipe is dropped.
   *
   * @param text such as {@code "q\n"}
   * @return a copy with this step
   */
  public StopPolicy write(String text) {
    return with(new StopStep.Write(new Inputs.Text(Objects.requireNonNull(text, "text"))));
  }

  /**
   * Adds: write bytes to the child's standard input, as {@link #write(String)} does.
   *
   * @param bytes what to write; copied
   * @return a copy with this step
   */
  public StopPolicy write(byte[] bytes) {
    return with(
        new StopStep.Write(new Inputs.Bytes(Objects.requireNonNull(bytes, "bytes").clone())));
  }

  /**
   * Adds: signal the tree. CONT is sent after TERM, so that a stopped process can act on it; after
   * other signals it is not, add {@code signal(Signal.CONT)} where it is wanted. KILL may be sent
   * early too, and STOP, which keeps a tree from forking while it is killed.
   *
   * @param signal any signal
   * @return a copy with this step
   */
  public StopPolicy signal(Signal signal) {
    return with(new StopStep.Send(Objects.requireNonNull(signal, "signal")));
  }

  /**
   * Adds: wait until the tree is gone, or the time is up.
   *
   * @param limit the longest wait; zero is none
   * @return a copy with this step
   * @throws IllegalArgumentException if the limit is negative
   */
  public StopPolicy await(Duration limit) {
    Objects.requireNonNull(limit, "limit");
    if (limit.isNegative()) {
      throw new IllegalArgumentException(
          "A stop policy waits for zero or longer, not for " + limit + ".");
    }
    return with(new StopStep.Await(limit));
  }

  /**
   * Adds: run code of the caller's on a virtual thread of its own. The ladder does not wait for it,
   * so that code that hangs can't delay the KILL; {@link #await(Duration)} after it gives it time.
   * The thread is interrupted when the tree is gone. What the code throws is logged.
   *
   * @param name what the step is called in logs, and its thread
   * @param action the code; it may run for several children at the same time
   * @return a copy with this step
   */
  public StopPolicy run(String name, Runnable action) {
    return with(
        new StopStep.Call(
            Objects.requireNonNull(name, "name"), Objects.requireNonNull(action, "action")));
  }

  /** The steps before the KILL, unmodifiable. */
  List<StopStep> ladder() {
    return steps;
  }

  /** Returns the steps in their order, such as {@code SIGTERM+SIGCONT, wait PT5S, SIGKILL}. */
  @Override
  public String toString() {
    return steps.stream().map(step -> step + ", ").collect(Collectors.joining()) + Signal.KILL;
  }

  private StopPolicy with(StopStep step) {
    List<StopStep> more = new ArrayList<>(steps);
    more.add(step);
    return new StopPolicy(List.copyOf(more));
  }
}
