package dev.holdfast.exec;

import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.UnsupportedPlatformException;
import dev.holdfast.exec.spawn.Child;
import dev.holdfast.exec.spawn.LaunchFailure;
import dev.holdfast.exec.spawn.OpenEnds;
import dev.holdfast.exec.spawn.Spawner;
import dev.holdfast.scope.Acquisition;
import dev.holdfast.scope.Finalizer;
import dev.holdfast.scope.Release;
import dev.holdfast.scope.Scope;
import dev.holdfast.scope.ScopeHaltedException;
import dev.holdfast.scope.Task;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A scope that owns processes: none of them, and nothing that they start, outlives {@link #close},
 * however the block is left, nor this JVM, however it ends.
 *
 * <p>{@code spawn}, {@code run}, {@code halt} and {@code awaitProcesses} are for any thread; {@code
 * fork}, {@code join}, {@code acquire}, {@code onClose} and {@code close} for the owner, the thread
 * that opened the scope.
 *
 * @see Exec#scope()
 */
public final class ExecScope implements AutoCloseable {
  private final Scope scope;
  private final ScopeOptions options;
  private final OpenEnds openEnds = new OpenEnds();

  ExecScope(Scope scope, ScopeOptions options) {
    this.scope = scope;
    this.options = options;
    scope.onClose(openEnds::closeAll);
  }

  /**
   * Starts a process and returns when it runs. Any thread. Defaults: outputs to {@link
   * Output#tail()}, containment {@link Containment#TREE}.
   *
   * @param command what to start
   * @return the child, running or already ended
   * @throws ExecException when it can't be started, with a reason
   * @throws IllegalStateException inside a {@code ScopedValue} binding that the owner has made
   *     after it opened the scope
   */
  public ChildProcess spawn(Command command) {
    return launch(Objects.requireNonNull(command, "command"), Planner.Manner.SPAWN);
  }

  /**
   * Starts a process and waits for its exit and the drain of its output. Any thread. Descendants
   * may live on; they are the scope's. Defaults: outputs to {@link Output#capture()}, containment
   * {@link Containment#GROUP}.
   *
   * @param command what to run
   * @return how it ended; any status, a signal or a timeout is a result
   * @throws InterruptedException when interrupted; the child has been ended before it is thrown
   * @throws ExecException when it can't be started, a sink of the caller's failed, or a capture's
   *     limit was passed with {@link Overflow#FAIL}
   * @throws IllegalStateException inside a {@code ScopedValue} binding that the owner has made
   *     after it opened the scope
   */
  public Result run(Command command) throws InterruptedException {
    ChildProcess child = launch(Objects.requireNonNull(command, "command"), Planner.Manner.RUN);
    try {
      return child.join();
    } catch (InterruptedException e) {
      child.stopAndForget();
      throw e;
    }
  }

  private ChildProcess launch(Command command, Planner.Manner manner) {
    scope.ensureOwnBindings(manner == Planner.Manner.RUN ? "run" : "spawn");
    try {
      Planner.Planned planned = new Planner(command, options, manner).plan();
      Child child = Spawner.spawn(scope, planned.plan(), openEnds, Environment.nextCookie());
      return new ChildProcess(child, command, planned.stdout(), planned.stderr());
    } catch (LaunchFailure e) {
      throw Failures.of(e, command);
    } catch (ErrnoException e) {
      throw Failures.of(e, command);
    } catch (UnsupportedPlatformException e) {
      throw Failures.of(e, command);
    } catch (ScopeHaltedException e) {
      throw Failures.of(e, command);
    }
  }

  /**
   * Forks a body onto a virtual thread, with a nested scope of its own. Owner only.
   *
   * @param body what to run
   * @param <T> the type of its result
   * @return the task
   * @throws ExecException with {@code SCOPE_HALTED} when the scope is halted
   * @throws IllegalStateException when the scope is closed, or a {@code ScopedValue} binding made
   *     after the scope was opened is in force
   */
  public <T extends @Nullable Object> Task<T> fork(ScopedBody<T> body) {
    Objects.requireNonNull(body, "body");
    try {
      return scope.fork(inner -> body.run(new ExecScope(inner, options)));
    } catch (ScopeHaltedException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Waits for the forked bodies and for the children: for their exit and drain, not for descendants
   * that live on. May be called again, after an interrupt too; more may be spawned and forked after
   * it. Owner only.
   *
   * @throws InterruptedException when interrupted; the scope is as it was
   * @throws dev.holdfast.scope.ScopeFailedException when a body failed
   * @throws ExecException when a sink of a child has failed, or with {@code SCOPE_HALTED} when the
   *     scope is halted
   */
  public void join() throws InterruptedException {
    try {
      scope.join();
    } catch (ScopeHaltedException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Registers a clean-up that runs after every tree is gone; the last registered runs first. Owner
   * only.
   *
   * @param finalizer the clean-up
   */
  public void onClose(Finalizer finalizer) {
    scope.onClose(finalizer);
  }

  /**
   * Acquires another resource; see {@link Scope#acquire}. Owner only.
   *
   * @param acquisition makes the resource
   * @param release ends it, after every tree is gone
   * @param <T> the type of the resource
   * @param <X> what the acquisition may throw
   * @return the resource
   * @throws X thrown by the acquisition
   * @throws ExecException with {@code SCOPE_HALTED} when the scope is halted
   */
  public <T, X extends Exception> T acquire(Acquisition<T, X> acquisition, Release<T> release)
      throws X {
    try {
      return scope.acquire(acquisition, release);
    } catch (ScopeHaltedException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Asks all trees and bodies to end and refuses all that comes after. Doesn't block; any thread.
   */
  public void halt() {
    scope.halt();
  }

  /**
   * Waits until no process is left, in the nested scopes of forked bodies too. Any thread.
   *
   * @param timeout how long to wait at most
   * @return true when none is left, false when the time is up
   * @throws InterruptedException when interrupted; the scope is as it was
   */
  public boolean awaitProcesses(Duration timeout) throws InterruptedException {
    return scope.awaitResources(timeout);
  }

  /**
   * What this kernel gives and this scope obtained.
   *
   * @return the protection of its children
   */
  public Protection protection() {
    return Protections.of(options);
  }

  /**
   * Ends every tree by its stop policy, all at the same time, waits until they are gone, then runs
   * the clean-ups. Idempotent, uninterruptible; owner only. See {@link Scope#close}.
   *
   * @throws dev.holdfast.scope.TeardownException when a process has outlived SIGKILL
   */
  @Override
  public void close() {
    scope.close();
  }

  @Override
  public String toString() {
    return "ExecScope[" + scope.name() + "]";
  }
}
