package dev.holdfast.scope;

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
  private final long bindings = ScopedBindings.count();

  /** Allocated before it is linked, so that a full heap can't lose those before it. */
  private record Registered(Finalizer finalizer, @Nullable Registered before) {}

  private @Nullable Registered finalizers; // owner's thread only
  private @Nullable TeardownException survival; // owner's thread only
  private volatile State state = State.OPEN; // written by the owner's thread
  private volatile boolean dropped; // set once, by the cleaner

  /** What close needs is allocated when the scope opens, so that a full heap can't keep it off. */
  private final Failures failures = new Failures();

  private final HoldUp holdUp = new HoldUp();
  private final Failures.Step innerStep = this::closeInner;
  private final Failures.Step haltStep = () -> halt(Cause.CLOSED);
  private final Failures.Step tasksStep = this::closeTasks;
  private final Failures.Step reportStep = this::report;

  private final Ring ring = new Ring();
  private final Ring survivors = new Ring(); // no one is added after the ring is empty
  private int joined;
  private int resources;
  private int waiting; // threads in join and awaitResources
  private @Nullable Cause halted;
  private @Nullable Slot firstFailed;

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
    StackRoom.ensureForOpen();
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
      try {
        top.close();
      } catch (Throwable t) {
        if (top.state == State.OPEN) {
          throw t;
        }
        LOG.warn("Scope '{}', which had been dropped without close, ended with this.", top.name, t);
      }
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
        slot.pending = true;
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

  synchronized void leave(Slot slot, boolean failed, boolean survived) {
    if (remove(slot)) {
      if (survived) {
        survivors.add(slot);
      }
      judge(slot, failed);
    }
  }

  synchronized void withdraw(Slot slot) {
    if (remove(slot)) {
      waitNoLongerFor(slot);
    }
  }

  private boolean remove(Slot slot) {
    boolean member = ring.remove(slot);
    if (member) {
      resources -= slot instanceof Body<?> ? 0 : 1;
      if (resources == 0 || ring.isEmpty()) {
        wakeWaiting();
      }
    }
    return member;
  }

  /** Once for each slot, under the lock. */
  private void judge(Slot slot, boolean failed) {
    if (!waitNoLongerFor(slot) || halted != null) {
      return;
    }
    if (failed) {
      firstFailed = firstFailed == null ? slot : firstFailed;
    }
    if (policy.haltsAfter(failed)) {
      stop(Cause.SIBLING_FAILED);
    }
  }

  /** False when that was so already. */
  private boolean waitNoLongerFor(Slot slot) {
    boolean pending = slot.pending;
    slot.pending = false;
    if (pending && slot.joined) {
      joined--;
      if (joined == 0) {
        wakeWaiting();
      }
    }
    return pending;
  }

  /**
   * Under the lock. The keeper sleeps in every open scope and waits for a halt first: without one
   * it isn't woken at each slot's end.
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
   * doesn't keep the others from it, nor does one that leaves at once.
   */
  synchronized void stop(Cause cause) {
    if (halted == null) {
      halted = cause;
    }
    Throwable first = null;
    try {
      Slot next;
      for (Slot slot = ring.after(null); slot != null; slot = next) {
        next = ring.after(slot);
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
    ScopeCore busy;
    while ((busy = busy()) != null) {
      if (!busy.awaitOwnResources(deadlineNanos)) {
        return false;
      }
    }
    AWAIT_DONE.pass();
    return true;
  }

  private synchronized boolean awaitOwnResources(long deadlineNanos) throws InterruptedException {
    waiting++;
    try {
      while (resources > 0) {
        if (!waitUntil(deadlineNanos)) {
          return false;
        }
      }
      return true;
    } finally {
      waiting--;
    }
  }

  /** This scope, or a nested one of its bodies, that has a resource; null when none has. */
  private synchronized @Nullable ScopeCore busy() {
    if (resources > 0) {
      return this;
    }
    for (Slot slot = ring.after(null); slot != null; slot = ring.after(slot)) {
      ScopeCore inner = slot instanceof Body<?> body ? body.inner() : null;
      ScopeCore busy = inner == null ? null : inner.busy();
      if (busy != null) {
        return busy;
      }
    }
    return null;
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
    if (state != State.OPEN) {
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

  /**
   * Ends when the scope is halted and empty, and no Error ends it before: the task group can't
   * close over a living member.
   */
  private @Nullable Object keep() {
    while (true) {
      try {
        awaitHaltedAndEmpty();
        return null;
      } catch (InterruptedException e) {
        stopQuietly();
      } catch (Throwable t) {
        Thread.onSpinWait();
      }
    }
  }

  private synchronized void awaitHaltedAndEmpty() throws InterruptedException {
    while (!isHaltedAndEmpty()) {
      wait();
    }
  }

  private boolean isHaltedAndEmpty() {
    return halted != null && ring.isEmpty();
  }

  /** Who can't be asked now is asked by the close. */
  private void stopQuietly() {
    try {
      stop(Cause.HALTED);
    } catch (Throwable t) {
      LOG.debug("Scope '{}' could not ask all its members to end.", name, t);
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

  boolean isClosed() {
    return state == State.CLOSED;
  }

  void ensureOwnBindings(String what) {
    if (Thread.currentThread() == owner && ScopedBindings.count() > bindings) {
      throw new IllegalStateException(
          "%s in scope '%s', opened at %s, is refused inside a ScopedValue binding that was made after the scope was opened; open the scope inside the binding."
              .formatted(what, name, openedAt()));
    }
  }

  void ensureOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("Scope '%s' is closed; open another scope.".formatted(name));
    }
  }

  void onClose(Finalizer finalizer) {
    finalizers = new Registered(finalizer, finalizers);
  }

  <T extends @Nullable Object> Task<T> fork(ScopeBody<T> code) {
    FORK_BEGIN.pass();
    StackRoom.ensure();
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
      slot = firstFailed;
      if (slot == null || slot.told) {
        return null;
      }
    }
    RuntimeException failure = slot.failure();
    told(slot);
    return failure;
  }

  /** The failure of that slot has reached its caller. Any thread. */
  synchronized void told(Slot slot) {
    slot.told = true;
  }

  /** Once; an Error for want of stack comes before anything has changed. */
  void close() {
    if (state != State.OPEN) {
      return;
    }
    StackRoom.ensure();
    state = State.CLOSING;
    boolean interrupted = Thread.interrupted();
    try {
      failures.pass(CLOSE_BEGIN);
      failures.attempt(innerStep);
      failures.attempt(haltStep);
      failures.pass(CLOSE_WAIT);
      interrupted |= awaitEmpty();
      failures.pass(CLOSE_EMPTY);
      failures.attempt(tasksStep);
      failures.pass(CLOSE_TASKS);
      interrupted |= Thread.interrupted();
      runFinalizers();
      failures.pass(CLOSE_DONE);
      failures.attempt(reportStep);
    } finally {
      state = State.CLOSED;
      TOP.set(openBelow());
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
    Registered last;
    while ((last = finalizers) != null) {
      finalizers = last.before();
      try {
        HoldUp.run(name, last.finalizer());
      } catch (Throwable t) {
        failures.add(t);
      }
    }
  }

  private void report() {
    failures.add(untoldFailure());
    survival = findSurvival();
    failures.add(survival);
  }

  /** What survived this scope, after its close. */
  @Nullable TeardownException survival() {
    return survival;
  }

  /** Inner scopes first; the thread's own stack of scopes tells which. */
  private void closeInner() {
    ScopeCore top = TOP.get();
    if (!isBelow(top)) {
      return;
    }
    for (ScopeCore inner = top; inner != null && inner != this; inner = inner.below) {
      try {
        closeOutOfOrder(inner);
      } catch (Throwable t) {
        failures.add(t);
      }
    }
  }

  private void closeOutOfOrder(ScopeCore inner) {
    if (inner.state == State.OPEN && !inner.dropped) {
      failures.add(
          new IllegalStateException(
              "Scope '%s' was closed while its inner scope '%s', opened at %s, was open; the inner one has been closed first. Close scopes in reverse order, best by try-with-resources."
                  .formatted(name, inner.name, inner.openedAt())));
    }
    inner.close();
  }

  private boolean isBelow(@Nullable ScopeCore top) {
    for (ScopeCore core = top; core != null; core = core.below) {
      if (core == this) {
        return true;
      }
    }
    return false;
  }

  /** A finalizer may have closed an outer scope already. */
  private @Nullable ScopeCore openBelow() {
    ScopeCore core = below;
    while (core != null && core.state == State.CLOSED) {
      core = core.below;
    }
    return core;
  }

  /** Uninterruptible, and no Error ends it either. True when an interrupt came meanwhile. */
  private boolean awaitEmpty() {
    boolean interrupted = false;
    Throwable refused = null;
    holdUp.restart();
    while (true) {
      try {
        if (isOverOrWait()) {
          break;
        }
        stop(Cause.CLOSED);
        nameHolders();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (Throwable t) {
        refused = refused == null ? t : refused;
      }
    }
    failures.add(refused);
    return interrupted;
  }

  @SuppressWarnings("WaitNotInLoop") // the caller loops
  private synchronized boolean isOverOrWait() throws InterruptedException {
    boolean over = isHaltedAndEmpty();
    if (!over) {
      wait(ASK_AGAIN_MILLIS);
    }
    return over;
  }

  /** The bodies that hold up the close after all else is gone, in their nested scopes too. */
  private void nameHolders() {
    if (busy() != null) {
      holdUp.restart();
    } else if (holdUp.isDue()) {
      for (Body<?> body = bodyAfter(null); body != null; body = bodyAfter(body)) {
        HoldUp.warn("body of scope '" + name + "'", body.thread());
      }
    }
  }

  private synchronized @Nullable Body<?> bodyAfter(@Nullable Body<?> body) {
    boolean hasLeft = body != null && !ring.contains(body);
    Slot next = hasLeft ? null : ring.after(body);
    return next instanceof Body<?> found ? found : null;
  }

  private @Nullable TeardownException findSurvival() {
    List<String> sentences = new ArrayList<>();
    for (Slot slot = survivors.after(null); slot != null; slot = survivors.after(slot)) {
      String sentence = slot.survivor();
      if (sentence != null) {
        sentences.add(sentence);
      }
    }
    return sentences.isEmpty() ? null : new TeardownException(name, sentences);
  }
}
