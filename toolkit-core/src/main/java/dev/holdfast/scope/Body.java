package dev.holdfast.scope;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A forked body: the slot of a virtual thread, which runs it in a nested scope. */
final class Body<T extends @Nullable Object> extends Slot
    implements Task<T>, Callable<@Nullable Object> {
  private static final Logger LOG = LoggerFactory.getLogger(Scope.class);
  private static final HaltPoint BODY_BEGIN = HaltPoint.named("body.begin");
  private static final HaltPoint BODY_END = HaltPoint.named("body.end");

  private enum Start {
    WAITING,
    RUNNING,
    ABANDONED
  }

  private final ScopeCore outer;
  private final Policy policy;
  private final ScopeBody<T> code;
  private final AtomicReference<Start> start = new AtomicReference<>(Start.WAITING);

  private volatile @Nullable Thread thread; // body's thread
  private volatile @Nullable ScopeCore inner; // body's thread
  private volatile @Nullable Cause halt; // any thread, under the outer scope's lock
  private @Nullable T result; // body's thread, before state
  private @Nullable Throwable thrown; // body's thread, before state
  private volatile State state = State.RUNNING; // body's thread

  Body(ScopeCore outer, Policy policy, ScopeBody<T> code) {
    super(true);
    this.outer = outer;
    this.policy = policy;
    this.code = code;
  }

  @Override
  protected void halt(Cause cause) {
    halt = cause;
    ScopeCore core = inner;
    if (core != null) {
      core.stop(cause);
    }
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  @Override
  public @Nullable Object call() {
    if (!start.compareAndSet(Start.WAITING, Start.RUNNING)) {
      return null;
    }
    State end = State.FAILED;
    try {
      end = run();
    } catch (Throwable t) {
      LOG.debug("A body of scope '{}' failed.", outer.name, t);
      thrown = t;
    } finally {
      state = end;
      thread = null;
      leave();
    }
    return null;
  }

  private State run() throws Exception {
    thread = Thread.currentThread();
    try (Scope scope = Scope.open(outer.name + "/body", policy)) {
      inner = scope.core();
      Cause cause = halt;
      if (cause != null) {
        halt(cause);
      }
      BODY_BEGIN.pass();
      result = code.run(scope);
      BODY_END.pass();
    } finally {
      inner = null;
    }
    return State.SUCCEEDED;
  }

  /** The fork failed: a thread that may have been started all the same must not run the body. */
  void abandon() {
    if (start.compareAndSet(Start.WAITING, Start.ABANDONED)) {
      withdraw();
    }
  }

  static RuntimeException refusal(ScopeCore scope, Throwable t) {
    if (t instanceof Error e) {
      throw e;
    }
    if (TaskGroup.isStructureViolation(t)) {
      return new IllegalStateException(
          "Scope '%s' was opened outside of a ScopedValue binding that is in force here, or its thread has lost the scope's structure by a StackOverflowError; open the scope inside the binding."
              .formatted(scope.name),
          t);
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }

  @Nullable ScopeCore inner() {
    return inner;
  }

  @Nullable Thread thread() {
    return thread;
  }

  @Override
  protected boolean hasFailed() {
    return state == State.FAILED;
  }

  @Override
  protected @Nullable RuntimeException failure() {
    Throwable cause = thrown;
    return cause == null
        ? null
        : new ScopeFailedException(
            "A body of scope '%s' failed: %s".formatted(outer.name, cause), cause);
  }

  /** A body's nested scope may have had survivors of its own. */
  @Override
  protected @Nullable String survivor() {
    Throwable cause = thrown;
    return cause instanceof TeardownException e ? String.join("; ", e.survivors()) : null;
  }

  @Override
  public T get() {
    switch (state) {
      case RUNNING ->
          throw new IllegalStateException(
              "The task has not ended; join its scope '%s' first.".formatted(outer.name));
      case FAILED -> {
        told();
        RuntimeException failure = failure();
        throw failure != null ? failure : new IllegalStateException("The task failed.");
      }
      case SUCCEEDED -> {}
    }
    return result();
  }

  @SuppressWarnings("NullAway") // null when the body has returned null, as T may allow
  private T result() {
    return result;
  }

  @Override
  public State state() {
    return state;
  }
}
