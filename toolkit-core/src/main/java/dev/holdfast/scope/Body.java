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
  private final Failures failures = new Failures(); // body's thread, before state
  private @Nullable TeardownException survival; // body's thread, before state
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
    Thread running = thread;
    try {
      if (core != null) {
        core.stop(cause);
      }
    } finally {
      if (running != null) {
        running.interrupt();
      }
    }
  }

  @Override
  public @Nullable Object call() {
    if (!start.compareAndSet(Start.WAITING, Start.RUNNING)) {
      return null;
    }
    thread = Thread.currentThread();
    try {
      runInScope();
    } catch (Throwable t) {
      failures.add(t);
    } finally {
      state = failures.first() == null ? State.SUCCEEDED : State.FAILED;
      thread = null;
      leave();
    }
    if (state == State.FAILED) {
      LOG.debug("A body of scope '{}' failed.", outer.name, failures.first());
    }
    return null;
  }

  private void runInScope() {
    Scope scope = Scope.open(outer.name + "/body", policy);
    ScopeCore core = scope.core();
    inner = core;
    try {
      Cause cause = halt;
      if (cause != null) {
        halt(cause);
      }
      BODY_BEGIN.pass();
      result = code.run(scope);
      BODY_END.pass();
    } catch (Throwable t) {
      failures.add(t);
    } finally {
      failures.attempt(scope::close);
      survival = core.survival();
      inner = null;
    }
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
          "Scope '%s' was opened outside of a ScopedValue binding that is in force here; open the scope inside the binding."
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
    Throwable cause = failures.first();
    return cause == null
        ? null
        : new ScopeFailedException(
            "A body of scope '%s' failed: %s".formatted(outer.name, cause), cause);
  }

  /** A body's nested scope may have had survivors of its own. */
  @Override
  protected @Nullable String survivor() {
    TeardownException what = survival;
    return what == null ? null : what.sentence();
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
