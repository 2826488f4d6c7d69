package dev.holdfast.scope;

import org.jspecify.annotations.Nullable;

/**
 * One resource's place in its scope. The slot is {@linkplain #arm armed} before the resource
 * exists; from then on {@link #halt} is its finalizer, and the scope does not end before the slot
 * has {@linkplain #leave left}.
 *
 * <p>Between arming and the moment at which the teardown can see the resource, the acquirer must
 * neither wait, lock, park nor allocate what could be refused.
 */
public abstract class Slot {
  /** Where the slot is, if anywhere. Guarded by the core's monitor, as its neighbours there. */
  @Nullable Ring ring;

  /** See {@link #ring}. */
  @Nullable Slot prev;

  /** See {@link #ring}. */
  @Nullable Slot next;

  /** Whether {@code join} waits for this slot. */
  final boolean joined;

  /** Whether it is armed and not judged by the policy yet. Guarded by the core's monitor. */
  boolean pending;

  /** Whether its failure has reached a caller. Guarded by the core's monitor. */
  boolean told;

  /** Written by the arming thread before the slot can be seen by others. */
  private @Nullable ScopeCore core;

  /**
   * A slot that is not yet armed.
   *
   * @param joined whether the scope's {@code join} waits for it
   */
  protected Slot(boolean joined) {
    this.joined = joined;
  }

  /**
   * Asks the resource to end. Called under the scope's lock, from any thread, maybe more than once,
   * maybe before the resource exists: must not block, allocate, nor call code of the user.
   *
   * @param cause why the scope was halted
   */
  protected abstract void halt(Cause cause);

  /**
   * Whether the resource's end is a failure of the scope. Asked when the slot settles or leaves;
   * must not throw.
   *
   * @return true for a failure
   */
  protected boolean hasFailed() {
    return false;
  }

  /**
   * The failure, to be thrown by {@code join} or {@code close} on the owner's thread.
   *
   * @return what to throw, or null when there is nothing to be told
   */
  protected @Nullable RuntimeException failure() {
    return null;
  }

  /**
   * What survived the teardown. Asked when the slot leaves, where it must not throw, and by {@code
   * close}.
   *
   * @return a sentence for the {@link TeardownException}, or null when all is gone
   */
  protected @Nullable String survivor() {
    return null;
  }

  /**
   * Puts this slot into the scope: from here on a halt reaches it. Any thread; again only after the
   * slot has been withdrawn.
   *
   * @param scope the scope that is to own it
   * @throws ScopeHaltedException when the scope is halted; the slot is not in it then
   * @throws StackOverflowError when there is too little stack for the acquirer to go on with; the
   *     slot is not in the scope then
   */
  protected final void arm(Scope scope) {
    StackRoom.ensure();
    ScopeCore owner = scope.core();
    core = owner;
    owner.arm(this);
  }

  /**
   * The resource has done its work: {@code join} waits for it no longer and the policy judges it,
   * but it stays with the scope, as a process that has left a descendant behind. Any thread.
   */
  protected final void settle() {
    ScopeCore owner = core;
    if (owner != null) {
      owner.settle(this, hasFailed());
    }
  }

  /**
   * The resource has ended: the scope forgets it, judging it by the policy unless it has
   * {@linkplain #settle settled} before. Any thread.
   */
  protected final void leave() {
    ScopeCore owner = core;
    if (owner != null) {
      owner.leave(this, hasFailed(), survivor() != null);
    }
  }

  /** The failure of this slot has reached its caller: nobody else needs to be told. Any thread. */
  protected final void told() {
    ScopeCore owner = core;
    if (owner != null) {
      owner.told(this);
    }
  }

  /** The resource never came to be: the scope forgets the slot, unjudged. Any thread. */
  protected final void withdraw() {
    ScopeCore owner = core;
    if (owner != null) {
      owner.withdraw(this);
    }
  }

  /** For subclasses of the core itself. */
  final void armIn(ScopeCore owner) {
    core = owner;
    owner.arm(this);
  }
}
