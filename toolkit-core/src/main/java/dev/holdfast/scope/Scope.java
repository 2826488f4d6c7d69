package dev.holdfast.scope;

import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Owns what is acquired in it: resources, {@linkplain Slot slots} and forked bodies. Nothing of it
 * outlives {@link #close}, whatever way the block is left.
 *
 * <p>{@code halt}, {@code acquire}d resources' slots and {@code awaitResources} are for any thread;
 * {@code fork}, {@code join}, {@code acquire}, {@code onClose} and {@code close} for the owner, the
 * thread that opened the scope. A scope that is dropped without {@code close} is halted when the
 * garbage collector finds it, with a WARN that names the line that opened it.
 *
 * <p>Threads are contained by a {@code StructuredTaskScope} (JEP 505): every forked body is a
 * subtask of it, and so is the <em>keeper</em>, which does not end before every slot has left.
 */
public final class Scope implements AutoCloseable {
  private static final Cleaner CLEANER =
      Cleaner.create(Thread.ofPlatform().daemon().name("holdfast-cleaner").factory());
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final Set<String> ENTRANCES =
      Set.of("dev.holdfast.scope.Scope", "dev.holdfast.exec.Exec", "dev.holdfast.exec.ExecScope");

  private final ScopeCore core;
  private final Cleaner.Cleanable dropped;

  private Scope(ScopeCore core) {
    this.core = core;
    this.dropped = CLEANER.register(this, new Drop(core));
  }

  /**
   * Opens a scope without a name, with the policy {@link Policy#failFast}.
   *
   * @return the scope, owned by the current thread
   */
  public static Scope open() {
    return open("scope", Policy.failFast());
  }

  /**
   * Opens a scope.
   *
   * @param name what messages call it
   * @param policy what the end of a member means for it
   * @return the scope, owned by the current thread
   */
  public static Scope open(String name, Policy policy) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(policy, "policy");
    ScopeCore core = ScopeCore.open(name, policy, opener());
    try {
      return new Scope(core);
    } catch (Throwable t) {
      core.close();
      throw t;
    }
  }

  private static StackWalker.@Nullable StackFrame opener() {
    return STACK
        .walk(
            frames -> frames.filter(frame -> !ENTRANCES.contains(frame.getClassName())).findFirst())
        .orElse(null);
  }

  /**
   * Acquires a resource. Its release is registered before it exists: whatever strikes in between,
   * the scope's {@code close} finds either nothing to release or the resource. Owner only.
   *
   * @param acquisition makes the resource
   * @param release ends it; runs in {@code close}, after all slots have left, in reverse order
   * @param <T> the type of the resource
   * @param <X> what the acquisition may throw
   * @return the resource
   * @throws X thrown by the acquisition; nothing is released then
   * @throws ScopeHaltedException when the scope is halted; what was acquired meanwhile is released
   *     by {@code close}
   */
  public <T, X extends Exception> T acquire(Acquisition<T, X> acquisition, Release<T> release)
      throws X {
    Objects.requireNonNull(acquisition, "acquisition");
    Objects.requireNonNull(release, "release");
    core.ensureOwner("acquire");
    core.ensureOpen();
    core.refuseIfHalted();
    return new Held<>(release).fill(core, acquisition);
  }

  /**
   * Registers a clean-up that {@code close} runs after everything in the scope is gone; the last
   * registered runs first. Owner only.
   *
   * @param finalizer the clean-up
   * @throws IllegalStateException when the scope is closed
   */
  public void onClose(Finalizer finalizer) {
    Objects.requireNonNull(finalizer, "finalizer");
    core.ensureOwner("onClose");
    core.ensureOpen();
    core.onClose(finalizer);
  }

  /**
   * Forks a body onto a virtual thread, with a nested scope of its own. Owner only.
   *
   * @param body what to run
   * @param <T> the type of its result
   * @return the task
   * @throws ScopeHaltedException when the scope is halted; the body doesn't run then
   * @throws IllegalStateException when the scope is closed, or a {@code ScopedValue} binding made
   *     after the scope was opened is in force
   */
  public <T extends @Nullable Object> Task<T> fork(ScopeBody<T> body) {
    Objects.requireNonNull(body, "body");
    core.ensureOwner("fork");
    core.ensureOpen();
    return core.fork(body);
  }

  /**
   * Waits for the forked bodies and for the slots that want to be joined. May be called again,
   * after an interrupt too; more may be forked and acquired after it. Owner only.
   *
   * @throws InterruptedException when interrupted; the scope is as it was
   * @throws ScopeFailedException when a body failed
   * @throws ScopeHaltedException when the scope is halted
   */
  public void join() throws InterruptedException {
    core.ensureOwner("join");
    core.ensureOpen();
    core.join();
  }

  /**
   * Asks everything in the scope to end and refuses all that comes after. Doesn't block; any
   * thread; each call asks again.
   */
  public void halt() {
    halt(Cause.HALTED);
  }

  /**
   * As {@link #halt()}, with a cause. The first cause is kept.
   *
   * @param cause why
   */
  public void halt(Cause cause) {
    Objects.requireNonNull(cause, "cause");
    StackRoom.ensure();
    core.halt(cause);
  }

  /**
   * Waits until no slot is left but bodies, here and in the bodies' nested scopes. Any thread.
   *
   * @param timeout how long to wait at most
   * @return true when none is left, false when the time is up
   * @throws InterruptedException when interrupted; the scope is as it was
   */
  public boolean awaitResources(Duration timeout) throws InterruptedException {
    return core.awaitResources(System.nanoTime() + Nanos.of(timeout));
  }

  /**
   * Refuses to go on in a scope that is halted. Any thread.
   *
   * @throws ScopeHaltedException when the scope is halted
   */
  public void refuseIfHalted() {
    core.refuseIfHalted();
  }

  /**
   * Refuses a call by another thread than the owner.
   *
   * @param what what was called
   * @throws WrongThreadException when the current thread is not the owner
   */
  public void ensureOwner(String what) {
    core.ensureOwner(what);
  }

  /**
   * Refuses a call of the owner inside a {@code ScopedValue} binding that was made after the scope
   * was opened: what is acquired there would outlive the binding it was acquired under. {@code
   * fork} is refused there too. Other threads' bindings don't matter. Takes some microseconds.
   *
   * @param what what was called
   * @throws IllegalStateException when such a binding is in force
   */
  public void ensureOwnBindings(String what) {
    core.ensureOwnBindings(what);
  }

  /**
   * What messages call this scope.
   *
   * @return the name
   */
  public String name() {
    return core.name;
  }

  /**
   * Ends everything in the scope and waits for it: inner scopes first, then all slots and bodies at
   * the same time, then the clean-ups in reverse. Idempotent and uninterruptible; an interrupt is
   * kept in the flag. Owner only.
   *
   * <p>Takes as long as the slowest slot's teardown. A body or clean-up of the user's that does not
   * return holds it up after all else is gone; it is named in a WARN now and then, and a body is
   * interrupted again and again.
   *
   * @throws TeardownException when something outlived its teardown
   * @throws ScopeFailedException when a body failed and nobody has been told
   * @throws IllegalStateException when an inner scope was still open; it has been closed first
   */
  @Override
  public void close() {
    core.ensureOwner("close");
    try {
      core.close();
    } finally {
      if (core.isClosed()) {
        dropped.clean();
      }
    }
  }

  @Override
  public String toString() {
    return "Scope[" + core.name + "]";
  }

  ScopeCore core() {
    return core;
  }

  /** Must not hold the handle. */
  private record Drop(ScopeCore core) implements Runnable {
    @Override
    public void run() {
      core.dropUnlessClosed();
    }
  }
}
