package dev.holdfast.scope;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a {@link Scope} is made of. It is apart from its handle so that neither the keeper nor the
 * owner's thread holds the handle: one that is dropped can be collected, and its core halted.
 *
 * <p>This object's monitor guards the rings, the counts, the cause and the first failure. Nothing
 * under it blocks, allocates or is code of the user. Lock order: outer scope before inner scope.
 */
final class ScopeCore {
  private static final Logger LOG = LoggerFactory.getLogger(Scope.class);
  private static final ThreadLocal<@Nullable ScopeCore> TOP = new ThreadLocal<>();

  private static final HaltPoint HALT_BEGIN = HaltPoint.named("halt.begin");
  private static final HaltPoint HALT_DONE = HaltPoint.named("halt.done");
  private static final HaltPoint FORK_BEGIN = HaltPoint.named("fork.begin");
  private static final HaltPoint FORK_DONE = HaltPoint.named("fork.done");
  private static final HaltPoint JOIN_BEGIN = HaltPoint.named("join.begin");
  private static final HaltPoint JOIN_DONE = HaltPoint.named("join.done");
  private static final HaltPoint AWAIT_BEGIN = HaltPoint.named("await.begin");
  private static final HaltPoint AWAIT_DONE = HaltPoint.named("await.done");
  private static final HaltPoint CLOSE_BEGIN = HaltPoint.named("close.begin");
  private static final HaltPoint CLOSE_WAIT = HaltPoint.named("close.wait");
  private static final HaltPoint CLOSE_EMPTY = HaltPoint.named("close.empty");
  private static final HaltPoint CLOSE_TASKS = HaltPoint.named("close.tasks");
  private static final HaltPoint CLOSE_DONE = HaltPoint.named("close.done");

  /** How long a close waits before it asks everything again to end. */
  private static final long ASK_AGAIN_MILLIS = 100;

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  final String name;
  private final Policy policy;
  private final Thread owner;
  private final @Nullable ScopeCore below;
  private final StackWalker.@Nullable StackFrame opener;
  private final TaskGroup tasks;

  private final ArrayDeque<Finalizer> finalizers = new ArrayDeque<>(); // owner's thread only
  private volatile State state = State.OPEN; // written by the owner's thread
  private volatile boolean dropped; // set once, by the cleaner

  /** What close needs is allocated when the scope opens, so that a full heap can't keep it off. */
  private final Failures failures = new Failures();

  private final HoldUp holdUp = new HoldUp();
  private final Failures.Step innerStep = this::closeInner;
  private final Failures.Step haltStep = () -> halt(Cause.CLOSED);
  private final Failures.Step tasksStep = this::closeTasks;

  private final Ring ring = new Ring();
  private final Ring survivors = new Ring();
  private int joined;
  private int resources;
  private int waiting; // threads in join and awaitResources
  private @Nullable Cause halted;
  private @Nullable Slot firstFailed;
  private boolean failureTold;

  private ScopeCore(String name, Policy policy, StackWalker.@Nullable StackFrame opener) {
    this.name = name;
    this.policy = policy;
    this.opener = opener;
    this.owner = Thread.currentThread();
    this.below = TOP.get();
    this.tasks = new TaskGroup();
  }

  /** Opens a scope that the current thread owns. */
  static ScopeCore open(String name, Policy policy, StackWalker.@Nullable StackFrame opener) {
    closeDropped();
    ScopeCore core = new ScopeCore(name, policy, opener);
    boolean kept = false;
    try {
      TOP.set(core);
      core.tasks.fork(core::keep);
      kept = true;
    } finally {
      if (!kept) {
        core.state = State.CLOSED;
        TOP.set(core.below);
        core.stop(Cause.CLOSED);
        core.tasks.close();
      }
    }
    return core;
  }

  /** The current thread's dropped scopes are closed by it when it opens the next. */
  private static void closeDropped() {
    ScopeCore top;
    while ((top = TOP.get()) != null && top.dropped) {
      top.close();
    }
  }

  /** The innermost scope that the current thread owns. */
  static @Nullable ScopeCore innermost() {
    return TOP.get();
  }

  // ---- any thread

  void arm(Slot slot) {
    boolean body = slot instanceof Body<?>;
    Cause cause;
    synchronized (this) {
      cause = halted;
      if (cause == null) {
        ring.add(slot);
        slot.pending = slot.joined;
        joined += slot.joined ? 1 : 0;
        resources += body ? 0 : 1;
      }
    }
    if (cause != null) {
      throw new ScopeHaltedException(name, cause);
    }
  }

  void settle(Slot slot, boolean failed) {
    synchronized (this) {
      judge(slot, failed);
    }
  }

  void leave(Slot slot, boolean failed) {
    boolean body = slot instanceof Body<?>;
    boolean survived = slot.survivor() != null;
    synchronized (this) {
      if (!ring.remove(slot)) {
        return;
      }
      resources -= body ? 0 : 1;
      if (survived) {
        survivors.add(slot);
      }
      try {
        judge(slot, failed);
      } finally {
        if (resources == 0 || ring.isEmpty()) {
          wakeWaiting();
        }
      }
    }
  }

  /** Once for each slot, under the lock. */
  private void judge(Slot slot, boolean failed) {
    if (failed && halted == null && firstFailed == null) {
      firstFailed = slot;
    }
    if (slot.pending) {
      slot.pending = false;
      joined--;
      if (joined == 0) {
        wakeWaiting();
      }
    }
    if (halted == null && policy.haltsAfter(failed)) {
      stop(Cause.SIBLING_FAILED);
    }
  }

  /**
   * Under the lock. The keeper sleeps in every open scope and waits for a halt first: without one it
   * isn't woken at each slot's end.
   */
  private void wakeWaiting() {
    if (waiting > 0 || halted != null) {
      notifyAll();
    }
  }

  void halt(Cause cause) {
    try {
      HALT_BEGIN.pass();
    } finally {
      stop(cause);
    }
    HALT_DONE.pass();
  }

  /**
   * Sets the cause, if there is none, and asks every member to end; one that fails to be asked
   * doesn't keep the others from it.
   */
  synchronized void stop(Cause cause) {
    if (halted == null) {
      halted = cause;
    }
    Throwable first = null;
    try {
      for (Slot slot = ring.after(null); slot != null; slot = ring.after(slot)) {
        try {
          slot.halt(halted);
        } catch (Throwable t) {
          first = first == null ? t : first;
        }
      }
    } finally {
      notifyAll();
    }
    if (first instanceof Error e) {
      throw e;
    }
    if (first instanceof RuntimeException e) {
      throw e;
    }
  }

  void refuseIfHalted() {
    Cause cause;
    synchronized (this) {
      cause = halted;
    }
    if (cause != null) {
      throw new ScopeHaltedException(name, cause);
    }
  }

  /** True when no resource is left here, nor in a nested scope of a body. */
  boolean awaitResources(long deadlineNanos) throws InterruptedException {
    AWAIT_BEGIN.pass();
    synchronized (this) {
      waiting++;
      try {
        while (resources > 0) {
          if (!waitUntil(deadlineNanos)) {
            return false;
          }
        }
      } finally {
        waiting--;
      }
    }
    AWAIT_DONE.pass();
    for (ScopeCore nested : nested()) {
      if (!nested.awaitResources(deadlineNanos)) {
        return false;
      }
    }
    return true;
  }

  private synchronized List<ScopeCore> nested() {
    List<ScopeCore> found = new ArrayList<>();
    for (Slot slot = ring.after(null); slot != null; slot = ring.after(slot)) {
      ScopeCore inner = slot instanceof Body<?> body ? body.inner() : null;
      if (inner != null) {
        found.add(inner);
      }
    }
    return found;
  }

  private boolean waitUntil(long deadlineNanos) throws InterruptedException {
    long left = deadlineNanos - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    TimeUnit.NANOSECONDS.timedWait(this, left);
    return true;
  }

  /** The cleaner, also asked by an orderly close: was the handle collected without one? */
  void dropUnlessClosed() {
    if (state == State.CLOSED) {
      return;
    }
    dropped = true;
    LOG.warn(
        "Scope '{}', opened at {}, was dropped without close; its members are ended now.",
        name,
        openedAt());
    stop(Cause.HALTED);
  }

  String openedAt() {
    return opener == null ? "an unknown place" : opener.toStackTraceElement().toString();
  }

  // ---- keeper

  /** Ends when the scope is halted and empty: the task group can't close over a living member. */
  private @Nullable Object keep() {
    while (true) {
      try {
        synchronized (this) {
          while (halted == null || !ring.isEmpty()) {
            wait();
          }
        }
        return null;
      } catch (InterruptedException e) {
        stop(Cause.HALTED);
      }
    }
  }

  // ---- owner's thread

  void ensureOwner(String what) {
    if (Thread.currentThread() != owner) {
      throw new WrongThreadException(
          "%s of scope '%s' is for its owner, %s, and was called by %s; from other threads use halt()."
              .formatted(what, name, owner, Thread.currentThread()));
    }
  }

  void ensureOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("Scope '%s' is closed; open another scope.".formatted(name));
    }
  }

  void onClose(Finalizer finalizer) {
    finalizers.push(finalizer);
  }

  <T extends @Nullable Object> Task<T> fork(ScopeBody<T> code) {
    FORK_BEGIN.pass();
    Body<T> body = new Body<>(this, policy, code);
    body.armIn(this);
    try {
      tasks.fork(body);
    } catch (Throwable t) {
      body.abandon();
      throw Body.refusal(this, t);
    }
    FORK_DONE.pass();
    return body;
  }

  void join() throws InterruptedException {
    JOIN_BEGIN.pass();
    Cause cause;
    synchronized (this) {
      waiting++;
      try {
        while (halted == null && joined > 0) {
          wait();
        }
      } finally {
        waiting--;
      }
      cause = halted;
    }
    JOIN_DONE.pass();
    RuntimeException failure = untoldFailure();
    if (failure != null) {
      throw failure;
    }
    if (cause != null) {
      throw new ScopeHaltedException(name, cause);
    }
  }

  private @Nullable RuntimeException untoldFailure() {
    Slot slot;
    synchronized (this) {
      slot = failureTold ? null : firstFailed;
      failureTold |= slot != null;
    }
    return slot == null ? null : slot.failure();
  }

  /** The failure of that slot has reached its caller. Any thread. */
  synchronized void told(Slot slot) {
    failureTold |= slot == firstFailed;
  }

  void close() {
    if (state != State.OPEN) {
      return;
    }
    state = State.CLOSING;
    boolean interrupted = Thread.interrupted();
    try {
      failures.attempt(CLOSE_BEGIN::pass);
      failures.attempt(innerStep);
      failures.attempt(haltStep);
      interrupted |= awaitEmpty();
      failures.attempt(CLOSE_EMPTY::pass);
      failures.attempt(tasksStep);
      failures.attempt(CLOSE_TASKS::pass);
      interrupted |= Thread.interrupted();
      runFinalizers();
      failures.attempt(CLOSE_DONE::pass);
      failures.add(untoldFailure());
      failures.add(survival());
    } finally {
      state = State.CLOSED;
      TOP.set(below);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    failures.rethrow();
  }

  private void closeTasks() {
    tasks.close();
  }

  private void runFinalizers() {
    while (!finalizers.isEmpty()) {
      try {
        HoldUp.run(name, finalizers.pop());
      } catch (Throwable t) {
        failures.add(t);
      }
    }
  }

  /** Inner scopes first; the thread's own stack of scopes tells which. */
  private void closeInner() {
    ScopeCore top;
    while ((top = TOP.get()) != this && isBelow(top)) {
      ScopeCore inner = top;
      if (!inner.dropped) {
        failures.add(
            new IllegalStateException(
                "Scope '%s' was closed while its inner scope '%s', opened at %s, was open; the inner one has been closed first. Close scopes in reverse order, best by try-with-resources."
                    .formatted(name, inner.name, inner.openedAt())));
      }
      failures.attempt(inner::close);
    }
  }

  private boolean isBelow(@Nullable ScopeCore top) {
    for (ScopeCore core = top; core != null; core = core.below) {
      if (core == this) {
        return true;
      }
    }
    return false;
  }

  /** Uninterruptible, and no Error ends it either. True when an interrupt came meanwhile. */
  private boolean awaitEmpty() {
    boolean interrupted = false;
    failures.attempt(CLOSE_WAIT::pass);
    while (true) {
      try {
        synchronized (this) {
          if (ring.isEmpty()) {
            return interrupted;
          }
          wait(ASK_AGAIN_MILLIS);
        }
        stop(Cause.CLOSED);
        holdUp.report(this::heldUpBy);
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (Throwable t) {
        failures.add(t);
      }
    }
  }

  /** The bodies that hold up the close after all else is gone. */
  private List<Body<?>> heldUpBy() {
    List<Body<?>> holders = new ArrayList<>();
    synchronized (this) {
      if (resources == 0) {
        for (Slot slot = ring.after(null); slot != null; slot = ring.after(slot)) {
          holders.add((Body<?>) slot);
        }
      }
    }
    return holders;
  }

  private @Nullable TeardownException survival() {
    List<String> sentences = new ArrayList<>();
    synchronized (this) {
      for (Slot slot = survivors.after(null); slot != null; slot = survivors.after(slot)) {
        String sentence = slot.survivor();
        if (sentence != null) {
          sentences.add(sentence);
        }
      }
    }
    return sentences.isEmpty() ? null : new TeardownException(name, sentences);
  }
}
