package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Waits;
import dev.holdfast.exec.reactor.Entry;
import dev.holdfast.exec.reactor.Reactor;
import dev.holdfast.scope.Cause;
import dev.holdfast.scope.KillPoint;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after one child from its publication until nothing of it is left. A state machine on the
 * reactor's thread: each call of {@link #advance} does what has become possible, and may be made
 * again after an Error at any place. Everything it needs was allocated before the child existed.
 */
final class Supervision extends Entry implements Ladder.Target {
  private static final Logger LOG = LoggerFactory.getLogger(Supervision.class);
  private static final KillPoint ADOPTING = KillPoint.named("supervision.adopt");
  private static final KillPoint REAPING = KillPoint.named("supervision.reap");
  private static final KillPoint LEAVING = KillPoint.named("supervision.leave");

  /** The child exists. */
  static final int ADOPT = 1;

  /** Climb the ladder. */
  static final int STOP = 2;

  /** Go to KILL. */
  static final int KILL = 4;

  /** The scanner has answered. */
  static final int SCANNED = 8;

  /** Something may have become possible. */
  static final int LOOK = 16;

  /** The child never came to be: close everything. */
  static final int DISCARD = 32;

  /** A member of the tree that was watched has ended. */
  static final int MEMBER_ENDED = 64;

  /** One for all: what a wait leaves there is taken out at once. */
  private static final NativeBlock BLOCK = NativeBlock.allocate(Waits.BLOCK_BYTES);

  private static final long RETRY_NANOS = 5_000_000;

  /** How far a child is. */
  private enum State {
    /** Not adopted: there is no child, or the reactor doesn't know yet. */
    UNKNOWN,
    /** The leader has not been reaped. */
    RUNNING,
    /** The leader is reaped; output or descendants may be left. */
    EXITED,
    /** Nothing is left. */
    OVER
  }

  /** What epoll knows of the leader's pidfd. */
  private enum Watch {
    /** Nothing. */
    NONE,
    /** It is there, and has fired. */
    FIRED,
    /** It is there, and will fire. */
    ARMED
  }

  private final Child child;
  private final SpawnPlan plan;
  private final Wires wires;
  private final Ladder ladder;
  private final Tree tree;
  private final Drain drain = new Drain();

  private volatile @Nullable Launch prepared; // spawning thread, before it arms
  private State state = State.UNKNOWN;
  private int asked; // STOP and KILL that came before the child
  private int pid;
  private int pidfd = -1;
  private Watch watch = Watch.NONE;
  private long started;
  private long timeoutAt = NEVER;
  private long retryAt = NEVER;

  Supervision(Child child, SpawnPlan plan, Wires wires, String cookie) {
    this.child = child;
    this.plan = plan;
    this.wires = wires;
    this.ladder = new Ladder(plan.rungs(), this);
    this.tree = new Tree(plan, cookie, () -> post(SCANNED), () -> post(MEMBER_ENDED));
  }

  // ---- any thread

  void reserve() {
    Reactor.get().reserve(this);
    tree.reserve();
  }

  void launched(Launch launch) {
    prepared = launch;
  }

  Launch launch() {
    return Objects.requireNonNull(prepared, "launch");
  }

  /** Whether the call has made a process. */
  boolean isLaunched() {
    Launch launch = prepared;
    return launch != null && launch.pid() != 0;
  }

  void post(int requests) {
    Reactor.get().post(this, requests);
  }

  @Override
  protected void shutDown() {
    child.end(Cause.HALTED, STOP);
  }

  @Override
  protected boolean isVital() {
    return true;
  }

  // ---- reactor's thread

  @Override
  protected boolean claims(int process) {
    Launch launch = prepared;
    return launch != null && (process == launch.pid() || process == launch.group());
  }

  @Override
  protected void ready(int events) {
    watch = Watch.FIRED;
    retryAt = System.nanoTime();
    advance(0, true);
  }

  @Override
  protected void advance(int requests, boolean isDue) {
    asked |= requests & (STOP | KILL);
    if (state == State.OVER) {
      return;
    }
    if (state == State.UNKNOWN) {
      if ((requests & DISCARD) != 0) {
        discard();
        return;
      }
      if ((requests & ADOPT) == 0) {
        return;
      }
      adopt();
    }
    long now = System.nanoTime();
    if ((requests & SCANNED) != 0) {
      tree.scanned(now);
    }
    if ((requests & MEMBER_ENDED) != 0) {
      tree.memberEnded(now);
    }
    wires.attach();
    boolean ends = (requests & (STOP | KILL)) != 0 || timeoutAt - now <= 0;
    reapIfExited(now, ends); // who has ended by now has ended by itself
    stopIfAsked(now);
    ladder.advance(now);
    tellExitAndDrain(now);
    tree.advance(now);
    leaveIfGone();
    reschedule();
  }

  private void adopt() {
    ADOPTING.pass();
    Launch launch = launch();
    pid = launch.pid();
    if (pidfd < 0) {
      pidfd = Signals.pidfdOpen(pid);
    }
    if (!tree.groups().isAdopted()) {
      tree.groups()
          .adopt(launch.group(), launch.groupPidfd(pidfd), pid, pidfd, launch.isGroupPinned());
    }
    launch.adopted();
    wires.closeChildSides();
    started = launch.startedNanos();
    timeoutAt = plan.timeoutNanos() == SpawnPlan.FOR_EVER ? NEVER : started + plan.timeoutNanos();
    retryAt = System.nanoTime();
    state = State.RUNNING;
  }

  private void reapIfExited(long now, boolean early) {
    if (state != State.RUNNING || (retryAt - now > 0 && !early)) {
      return;
    }
    retryAt = NEVER;
    int rc = Waits.peekExit(pid, BLOCK);
    if (rc == Waits.NOT_YET) {
      watchAgain(now);
      return;
    }
    REAPING.pass();
    int reaped = rc == Waits.EXITED ? child.reap(BLOCK) : rc;
    if (reaped == 0) {
      watchAgain(now);
      return;
    }
    Cause cause = ladder.isClimbed() ? child.askedCause() : Cause.SELF;
    if (child.exited.hasHappened()) {
      LOG.debug("'{}', pid {}, has ended after all.", plan.label(), pid);
    } else if (reaped == pid) {
      child.exited(cause, BLOCK, now - started);
    } else {
      child.exitedUnknown(cause, -reaped, now - started);
    }
    leaderGone(now);
  }

  private void leaderGone(long now) {
    state = State.EXITED;
    timeoutAt = NEVER;
    tree.leaderReaped(now);
    wires.leaderExited();
    drain.start(now);
    LOG.debug("'{}', pid {}, has exited.", plan.label(), pid);
  }

  /** A pidfd that is readable while the status isn't there yet is a traced child's: ask by time. */
  private void watchAgain(long now) {
    if (watch == Watch.NONE && pidfd >= 0) {
      Reactor reactor = Reactor.get();
      int interest = Epoll.IN | Epoll.ONE_SHOT;
      if (reactor.watch(pidfd, interest, this, reactor.scratch()) == 0) {
        watch = Watch.ARMED;
        return;
      }
    }
    if (watch != Watch.ARMED) {
      retryAt = now + RETRY_NANOS;
    }
  }

  private void unwatch() {
    if (watch != Watch.NONE) {
      watch = Watch.NONE;
      Reactor.get().unwatch(pidfd);
    }
  }

  private void stopIfAsked(long now) {
    if (state == State.RUNNING && timeoutAt - now <= 0) {
      timeoutAt = NEVER;
      child.setAskedCause(Cause.TIMEOUT);
      asked |= STOP;
    }
    if (tree.isGone()) {
      asked = 0;
    } else if ((asked & KILL) != 0) {
      ladder.force(now);
    } else if ((asked & STOP) != 0) {
      ladder.start(now);
    }
  }

  /** Whether the leader lives and may yet be ended. */
  private boolean isLed() {
    return state == State.RUNNING && ladder.state() != Ladder.State.LOST;
  }

  /** This is what a run waits for, so it comes before all that can be done meanwhile. */
  private void tellExitAndDrain(long now) {
    if (isLed()) {
      return;
    }
    if (state == State.EXITED) {
      child.exited.happen();
    }
    if (drain.endsReading(now, wires.lastData(), wires.isDraining())) {
      wires.stopReading();
      drain.readingEnded(now);
    }
    if (drain.endsDelivery(now, wires.isFinishing(now))) {
      wires.cut();
      child.drained();
      drain.deliveryEnded();
    }
    if (drain.isOver()) {
      child.drained.happen();
      child.settleOnce();
    }
  }

  private void leaveIfGone() {
    if (isLed()) {
      return;
    }
    if (state == State.EXITED) {
      unwatch();
    }
    if (tree.isGone()) {
      ladder.end();
      child.treeGone.happen();
    }
    if (ladder.state() == Ladder.State.LOST && !tree.isGone() && !child.departed.hasHappened()) {
      lose();
    }
    if (tree.isGone() && drain.isOver()) {
      finish();
    }
  }

  /** It has outlived KILL: its scope is told and let go; the reactor keeps an eye on it. */
  private void lose() {
    String survivors =
        tree.members().isEmpty()
            ? "'%s', pid %d, group %d".formatted(plan.label(), pid, launch().group())
            : "'%s': %s".formatted(plan.label(), Tree.describe(tree.members()));
    LOG.warn("Not even SIGKILL has ended {}; it is left alone.", survivors);
    child.lost(survivors + ", which has outlived SIGKILL");
    wires.stopReading();
    wires.cut();
    child.drained.happen();
    child.exited.happen();
    child.settleOnce();
    child.departOnce();
  }

  private void finish() {
    LEAVING.pass();
    wires.close();
    close();
    child.departOnce();
    LOG.debug("'{}', pid {}, is gone with all it started.", plan.label(), pid);
    state = State.OVER;
    Reactor.get().at(this, NEVER);
    Reactor.get().release(this);
  }

  private void discard() {
    wires.abandon();
    close();
    child.neverWas();
    state = State.OVER;
    Reactor.get().at(this, NEVER);
    Reactor.get().release(this);
  }

  private void close() {
    unwatch();
    tree.close();
    Launch launch = prepared;
    if (launch != null) {
      launch.close();
    }
  }

  private void reschedule() {
    if (state == State.OVER) {
      return;
    }
    long ofLeader =
        state == State.RUNNING ? Math.min(timeoutAt, retryAt) : drain.due(wires.lastData());
    long due = Math.min(ofLeader, Math.min(ladder.due(), tree.due()));
    Reactor.get().at(this, due);
  }

  // ---- the ladder's target

  @Override
  public void signal(int signal, boolean thenContinue) {
    LOG.debug("Signal {} to '{}', group {}.", signal, plan.label(), tree.groups().group());
    tree.signal(signal, thenContinue, System.nanoTime());
  }

  @Override
  public void kill() {
    LOG.debug("KILL to '{}', group {}.", plan.label(), tree.groups().group());
    tree.kill(System.nanoTime());
  }

  @Override
  public void closeStdin() {
    wires.closeStdin();
  }

  @Override
  public void write(byte[] content) {
    wires.writeToStdin(content);
  }

  // ---- the reactor's death

  /** Kills without the reactor; who waits is let go. The reactor's thread, or who asks later. */
  @Override
  protected void reactorDied() {
    Launch launch = prepared;
    int leader = launch == null ? 0 : launch.pid();
    if (launch != null && leader != 0 && state != State.OVER && state != State.EXITED) {
      if (launch.group() > 1) {
        Signals.killGroup(launch.group(), Signals.KILL);
      }
      Signals.kill(leader, Signals.KILL);
    }
    child.lost("'" + plan.label() + "': the reactor has died and can't tell");
    child.exited.happen();
    child.drained.happen();
    child.treeGone.happen();
    child.departOnce();
  }
}
