package dev.holdfast.exec;

import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.HaltInjector;
import dev.holdfast.testkit.Injection;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One scope with some processes, on a thread of its own, which may be struck at a halt point; and
 * what was wrong after it.
 */
final class Trial {
  /** A hang, on a machine however busy. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** What commands get where the injection is a timeout. */
  private static final Duration TIMEOUT = Duration.ofMillis(8);

  /** The kind of thread that owns the scope. */
  enum Owner {
    PLATFORM,
    VIRTUAL
  }

  /** What the owner does in its scope. */
  @FunctionalInterface
  interface Play {
    void in(ExecScope scope, Trial trial) throws Exception;
  }

  /** Where and how a trial is struck. */
  record Strike(String point, int occurrence, Injection injection) {
    @Override
    public String toString() {
      return injection + " at " + point + "#" + occurrence;
    }
  }

  /**
   * What came of a trial.
   *
   * @param wrong what must not be; empty when all is well
   * @param owner the owner's thread
   * @param thrown what the owner's block threw
   * @param interrupted the owner's flag after it
   * @param passes the halt points passed
   * @param fired where it was struck
   */
  record Outcome(
      List<String> wrong,
      @Nullable Thread owner,
      @Nullable Throwable thrown,
      boolean interrupted,
      List<HaltInjector.Pass> passes,
      Optional<HaltInjector.Pass> fired) {}

  private final Play play;
  private final Owner kind;
  private final StopPolicy stop;
  private final boolean timed;
  private final Marker marker = Marker.unique();
  private final Census census = Census.of(marker);
  private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());

  private volatile @Nullable ExecScope scope;
  private volatile @Nullable Thread owner;
  private volatile @Nullable Throwable thrown;
  private volatile boolean interrupted;
  private volatile boolean registered;
  private volatile boolean cleaned;

  private Trial(Play play, Owner kind, StopPolicy stop, boolean timed) {
    this.play = play;
    this.kind = kind;
    this.stop = stop;
    this.timed = timed;
  }

  /** Runs undisturbed and notes the halt points. */
  static Outcome record(Play play, Owner kind, StopPolicy stop) {
    try (var injector = HaltInjector.recording()) {
      return new Trial(play, kind, stop, false).run(injector);
    }
  }

  /** Runs and strikes, if the point is passed that often. */
  static Outcome struck(Play play, Owner kind, StopPolicy stop, Strike strike) {
    var trial = new Trial(play, kind, stop, strike.injection() == Injection.TIMEOUT);
    var action = strike.injection().on(trial::target);
    try (var injector = HaltInjector.at(strike.point(), strike.occurrence(), action)) {
      return trial.run(injector);
    } catch (AssertionError e) {
      trial.census.endAll();
      throw e;
    }
  }

  /** A command whose processes are counted. */
  Command marked(Command command) {
    Command counted = command.env(marker.environment());
    return timed ? counted.timeout(TIMEOUT) : counted;
  }

  Marker marker() {
    return marker;
  }

  private Injection.Target target() {
    Thread thread = owner;
    ExecScope open = scope;
    if (thread == null || open == null) {
      throw new IllegalStateException("There is no scope yet.");
    }
    return new Injection.Target(thread, open::halt, Trial::letTimeRunOut);
  }

  private static void letTimeRunOut() {
    long end = System.nanoTime() + TIMEOUT.toNanos() * 2;
    long left;
    while ((left = end - System.nanoTime()) > 0) {
      java.util.concurrent.locks.LockSupport.parkNanos(left);
    }
  }

  private Outcome run(HaltInjector injector) {
    Thread running =
        kind == Owner.VIRTUAL
            ? Thread.ofVirtual().name("trial").start(this::own)
            : Thread.ofPlatform().daemon().name("trial").start(this::own);
    boolean ended;
    try {
      ended = running.join(LIMIT);
    } catch (InterruptedException e) {
      throw new AssertionError("The test's own thread was interrupted.", e);
    }
    if (!ended) {
      wrong.add("hung; all threads:\n" + Stacks.all());
      census.endAll();
    } else if (registered && !cleaned) {
      wrong.add("the clean-up did not run");
    }
    return new Outcome(
        List.copyOf(wrong), running, thrown, interrupted, injector.passes(), injector.fired());
  }

  private void own() {
    owner = Thread.currentThread();
    UnaryOperator<ScopeOptions> options =
        o -> o.name("trial").stop(stop).containment(Containment.TREE);
    try (ExecScope opened = Exec.scope(options)) {
      scope = opened;
      opened.onClose(this::cleanUp);
      registered = true;
      play.in(opened, this);
    } catch (Throwable t) {
      thrown = t;
    }
    interrupted = Thread.interrupted();
    requireNone("when the block was left");
  }

  private void cleanUp() {
    cleaned = true;
    requireNone("when the clean-up ran");
  }

  private void requireNone(String when) {
    for (int look = 0; look < 2; look++) {
      List<ProcessEntry> live = census.live();
      if (!live.isEmpty()) {
        wrong.add("alive " + when + ": " + live);
        return;
      }
    }
  }

  /** Ends what a failed trial has left. */
  void endAll() {
    census.endAll();
  }
}
