package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.ProcessIdentityReader;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Waits;
import dev.holdfast.exec.reactor.ReadEnd;
import dev.holdfast.exec.reactor.WriteEnd;
import dev.holdfast.scope.Cause;
import dev.holdfast.scope.Scope;
import dev.holdfast.scope.Slot;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A child's slot in its scope, and what other threads may ask of it. The spawning thread arms and
 * publishes it; every change after that is made by the reactor, through its supervision. Fields
 * that the reactor writes are read after the event that tells of them.
 */
public final class Child extends Slot {
  /** The leader has ended, and its status is known. */
  public final Event exited = new Event();

  /** No more output will be kept. */
  public final Event drained = new Event();

  /** Nothing of the tree lives. */
  public final Event treeGone = new Event();

  /** The child has left its scope: gone, or lost. */
  public final Event departed = new Event();

  private final SpawnPlan plan;
  private final Wires wires;
  private final Supervision supervision;
  private final AtomicReference<@Nullable Cause> askedCause = new AtomicReference<>();

  /** Spawning thread, once: it is through. A mere write, as nothing that can fail may be needed. */
  volatile boolean handedOver;

  /** Held while the leader is reaped: under it the pid is surely the leader's while not reaped. */
  private final Object reaping = new Object();

  private boolean reaped; // guarded by reaping
  private volatile @Nullable Identity identity; // any thread, under reaping

  private Cause cause = Cause.SELF; // reactor's thread, before exited
  private int status; // reactor's thread, before exited
  private @Nullable String unknownStatus; // reactor's thread, before exited
  private long userMicros; // reactor's thread, before exited
  private long systemMicros; // reactor's thread, before exited
  private long maxRssKib; // reactor's thread, before exited
  private long durationNanos; // reactor's thread, before exited
  private boolean drainedInOrder; // reactor's thread, before drained
  private volatile @Nullable String survivor; // reactor's thread, before departed

  private Child(SpawnPlan plan, OpenEnds openEnds, String cookie) {
    super(true);
    this.plan = plan;
    this.wires =
        new Wires(
            plan,
            openEnds,
            () -> requestOf(this, Supervision.LOOK),
            () -> end(Cause.OUTPUT_LIMIT, Supervision.STOP));
    this.supervision = new Supervision(this, plan, wires, cookie);
  }

  private static void requestOf(Child child, int request) {
    child.supervision.post(request);
  }

  /**
   * Allocates and opens all that the child and its teardown will need. What a failure leaves half
   * open is closed by the reactor, which may use it already.
   */
  static Child prepare(SpawnPlan plan, OpenEnds openEnds, String cookie) {
    Child child = new Child(plan, openEnds, cookie);
    boolean prepared = false;
    try {
      child.supervision.reserve();
      Shutdown.refuseIfBegun();
      child.wires.prepare();
      child.supervision.launched(Launch.prepare(plan, child.wires, cookie));
      prepared = true;
      return child;
    } finally {
      if (!prepared) {
        child.handedOver = true;
        child.giveUp();
      }
    }
  }

  // ---- spawning thread

  void armIn(Scope scope) {
    arm(scope);
  }

  int run() {
    return supervision.launch().run();
  }

  void armLeader() {
    supervision.launch().armLeader();
  }

  void publish() {
    supervision.post(Supervision.ADOPT);
  }

  void unarm() {
    withdraw();
  }

  /** What there is by now is ended; see {@link #outcome}. */
  void giveUp() {
    supervision.post(Supervision.STOP | outcome());
  }

  // ---- any thread

  @Override
  protected void halt(Cause why) {
    end(why, Supervision.STOP);
  }

  void end(Cause why, int request) {
    askedCause.compareAndSet(null, why);
    supervision.post(request | outcome());
  }

  /**
   * What has come of the spawn, once the spawning thread is through: the cell of the pid tells. So
   * whoever asks for an end also says again what that thread may have failed to say.
   */
  private int outcome() {
    if (!handedOver) {
      return 0;
    }
    return supervision.isLaunched() ? Supervision.ADOPT : Supervision.DISCARD;
  }

  /** Climbs the stop ladder; returns at once. */
  public void stop() {
    end(Cause.STOPPED, Supervision.STOP);
  }

  /** Goes to KILL; returns at once. */
  public void kill() {
    end(Cause.STOPPED, Supervision.KILL);
  }

  /**
   * The leader's pid.
   *
   * @return the pid; nobody else's before {@link #exited}
   */
  public int pid() {
    return supervision.launch().pid();
  }

  /**
   * What tells a process apart, beside its pid.
   *
   * @param bootId of this boot
   * @param pidNamespace the inode of the namespace in which the pid counts
   * @param startTicks when it started, in clock ticks since boot
   */
  public record Identity(String bootId, long pidNamespace, long startTicks) {}

  /**
   * The leader's identity, which must be asked for once before the leader is reaped.
   *
   * @return the identity
   * @throws IllegalStateException when it is too late
   */
  public Identity identity() {
    Identity known = identity;
    return known != null ? known : readIdentity();
  }

  /** The reactor never waits for the look: it is valid when the leader isn't reaped after it. */
  private Identity readIdentity() {
    Identity read =
        new Identity(
            ProcessIdentityReader.bootId(),
            ProcessIdentityReader.pidNamespace(),
            ProcessIdentityReader.startTicks(pid()));
    synchronized (reaping) {
      if (reaped) {
        throw new IllegalStateException(
            "The identity of '%s' was not asked for before its end; ask after spawn."
                .formatted(plan.label()));
      }
      identity = read;
      return read;
    }
  }

  /**
   * Signals the leader alone.
   *
   * @param signal the number
   * @return false when it is gone
   */
  public boolean signal(int signal) {
    synchronized (reaping) {
      return !reaped && Signals.kill(pid(), signal) == 0;
    }
  }

  /**
   * The plan.
   *
   * @return what was spawned
   */
  public SpawnPlan plan() {
    return plan;
  }

  /** Collects output that nobody has begun to read. */
  public void collectUnread() {
    wires.collectUnread();
    supervision.post(Supervision.LOOK);
  }

  /**
   * The caller's end of standard input.
   *
   * @return the end, or null when standard input is no pipe of the caller's
   */
  public @Nullable WriteEnd stdin() {
    return wires.stdinEnd();
  }

  /**
   * The caller's end of an output, which counts as begun to be read from now on.
   *
   * @param error whether standard error is meant
   * @return the end, or null when there is none for the caller
   */
  public @Nullable ReadEnd beginToRead(boolean error) {
    return wires.beginToRead(error);
  }

  /**
   * What a sink of the user's has thrown.
   *
   * @return the failure, or null; final after {@link #drained}
   */
  public @Nullable Throwable sinkFailure() {
    return wires.failure();
  }

  /** The failure has reached a caller: the scope doesn't need to tell it again. */
  public void failureTold() {
    told();
  }

  /**
   * Who caused the end.
   *
   * @return the cause, after {@link #exited}
   */
  public Cause cause() {
    return cause;
  }

  /**
   * The raw wait status.
   *
   * @return the status, after {@link #exited}
   */
  public int status() {
    return status;
  }

  /**
   * Why the status isn't known.
   *
   * @return the reason, or null when it is known; after {@link #exited}
   */
  public @Nullable String unknownStatus() {
    return unknownStatus;
  }

  /**
   * Time in user mode.
   *
   * @return microseconds, after {@link #exited}
   */
  public long userMicros() {
    return userMicros;
  }

  /**
   * Time in the kernel.
   *
   * @return microseconds, after {@link #exited}
   */
  public long systemMicros() {
    return systemMicros;
  }

  /**
   * The largest resident set.
   *
   * @return KiB, after {@link #exited}
   */
  public long maxRssKib() {
    return maxRssKib;
  }

  /**
   * How long the leader has lived.
   *
   * @return nanoseconds, after {@link #exited}
   */
  public long durationNanos() {
    return durationNanos;
  }

  /**
   * Whether all output had come when the drain ended.
   *
   * @return false when it was cut; after {@link #drained}
   */
  public boolean isComplete() {
    return drainedInOrder && wires.isWhole();
  }

  @Override
  protected @Nullable String survivor() {
    return survivor;
  }

  @Override
  protected boolean hasFailed() {
    return plan.failsScope() && sinkFailure() != null;
  }

  @Override
  protected @Nullable RuntimeException failure() {
    Throwable thrown = sinkFailure();
    return thrown == null ? null : plan.failure().apply(this, thrown);
  }

  // ---- reactor's thread

  /** There is no child, and there won't be one. */
  void neverWas() {
    withdraw();
  }

  Cause askedCause() {
    Cause asked = askedCause.get();
    return asked == null ? Cause.STOPPED : asked;
  }

  void setAskedCause(Cause why) {
    askedCause.compareAndSet(null, why);
  }

  /** Reaps the leader: its pid, 0 when it is not time, or a negative errno. */
  int reap(NativeBlock block) {
    synchronized (reaping) {
      int rc = Waits.reap(pid(), block);
      reaped |= rc != 0;
      return rc;
    }
  }

  void exited(Cause why, NativeBlock block, long nanos) {
    cause = why;
    status = Waits.status(block);
    userMicros = Waits.userMicros(block);
    systemMicros = Waits.systemMicros(block);
    maxRssKib = Waits.maxRssKib(block);
    durationNanos = nanos;
  }

  void exitedUnknown(Cause why, int errno, long nanos) {
    cause = why;
    durationNanos = nanos;
    unknownStatus =
        "the process was not ours to reap (errno "
            + errno
            + "): other code of this JVM has waited for it, or SIGCHLD is ignored";
  }

  void lost(String what) {
    survivor = what;
    if (!exited.hasHappened()) {
      unknownStatus = what;
      cause = askedCause();
    }
  }

  void drained() {
    drainedInOrder = true;
  }

  void settleOnce() {
    settle();
  }

  void departOnce() {
    leave();
    departed.happen();
  }

  @Override
  public String toString() {
    return plan.label() + ", pid " + supervision.launch().pid();
  }
}
