package dev.holdfast.soak;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecException;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.CpuStress;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * E4: a halt in the middle of spawning leaks nothing, under CPU saturation too. In each of 60
 * iterations one process after the other is spawned until a halt, 0 to 29 ms after the first, puts
 * an end to it; then the processes that carry the iteration's marker are counted through {@code
 * /proc}. Holdfast must leave none in any iteration; the control, which spawns first and registers
 * after, must leave some, or the soak has seen nothing: otherwise the trial fails. JMH reports the
 * leaks and the spawns of all iterations beside the time. Run it with
 *
 * <pre>{@code
 * mvn -Dquick -DskipTests -Pbench -pl benchmarks -am package -Dbench.args="HaltSoak -foe true"
 * }</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = HaltSoak.ITERATIONS)
@Fork(1)
@SuppressWarnings("NullAway") // JMH sets the states up before their use
public class HaltSoak {
  static final int ITERATIONS = 60;
  private static final int DELAYS = 30;
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private CpuStress load;
  private int iteration;
  private Marker marker;

  /** For JMH. */
  public HaltSoak() {}

  /** What is counted. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Counted {
    /** Processes that outlived the halt. */
    public long leaks;

    /** Processes that were started before it. */
    public long spawns;

    private long allLeaks;

    /** For JMH. */
    public Counted() {}

    void leaked(long processes) {
      leaks += processes;
      allLeaks += processes;
    }
  }

  /** Loads the library, proves that the census sees, then saturates the processors. */
  @Setup
  public void saturate() throws InterruptedException {
    Census.proveThatItSees();
    Exec.run("true").expectSuccess();
    load = CpuStress.start(2 * Runtime.getRuntime().availableProcessors());
  }

  /** A new marker for each iteration. */
  @Setup(Level.Iteration)
  public void mark() {
    marker = Marker.unique();
  }

  /** Ends what was leaked. */
  @TearDown(Level.Iteration)
  public void sweep() {
    Census.of(marker).endAll();
    iteration++;
  }

  /** Ends the load. */
  @TearDown
  public void relax() {
    load.close();
  }

  /** The product leaks nothing. */
  @Benchmark
  public void holdfast(Counted counted) throws InterruptedException {
    try (ExecScope scope = Exec.scope()) {
      Command command = Command.of(sleeper()).stdout(Output.discard()).stderr(Output.discard());
      Thread halter = haltLater(scope::halt);
      while (spawn(scope, command)) {
        counted.spawns++;
      }
      halter.join();
    }
    counted.leaked(Census.of(marker).live().size());
    if (counted.allLeaks > 0) {
      throw new IllegalStateException("Processes have outlived their scope.");
    }
  }

  private static boolean spawn(ExecScope scope, Command command) {
    try {
      scope.spawn(command);
      return true;
    } catch (ExecException e) {
      if (e.reason() != ExecException.Reason.SCOPE_HALTED) {
        throw e;
      }
      return false;
    }
  }

  /** The control leaks. */
  @Benchmark
  public void spawnFirst(Counted counted) throws InterruptedException, IOException {
    SpawnFirst control = new SpawnFirst();
    Thread halter = haltLater(control::halt);
    while (control.spawn(sleeper())) {
      counted.spawns++;
    }
    halter.join();
    counted.leaked(awaitLeaks());
    if (iteration == ITERATIONS - 1 && counted.allLeaks == 0) {
      throw new IllegalStateException("The control has leaked nothing; the soak has seen nothing.");
    }
  }

  private List<String> sleeper() {
    return Fixture.program(marker, "sleep", "300");
  }

  private Thread haltLater(Runnable halt) {
    long delay = TimeUnit.MILLISECONDS.toNanos(iteration % DELAYS);
    long due = System.nanoTime() + delay;
    return Thread.ofPlatform()
        .name("halter")
        .start(
            () -> {
              for (long left = delay; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
              }
              halt.run();
            });
  }

  /** What was killed needs a moment to be gone; what is there after it was leaked. */
  private long awaitLeaks() {
    Census census = Census.of(marker);
    try {
      census.awaitGone(PATIENCE);
      return 0;
    } catch (AssertionError e) {
      return census.live().size();
    }
  }
}
