package dev.holdfast.bench;

import dev.holdfast.exec.ChildProcess;
import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;
import java.util.concurrent.TimeUnit;
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
 * What a scope costs, and how long the caller of {@code spawn} is held: the percentiles of single
 * calls, on platform and on virtual threads. Run it with
 *
 * <pre>{@code
 * mvn -Dquick -DskipTests -Pbench -pl benchmarks -am package -Dbench.args=ScopeBenchmark
 * }</pre>
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(1)
@SuppressWarnings("NullAway") // JMH sets the states up before their use
public class ScopeBenchmark {
  private static final Command COMMAND =
      Command.of("/bin/true").stdout(Output.discard()).stderr(Output.discard());

  /** For JMH. */
  public ScopeBenchmark() {}

  /** A child of a scope that lives as long as an iteration; only its spawn is measured. */
  @State(Scope.Thread)
  public static class Spawned {
    private ExecScope scope;
    private ChildProcess child;

    /** For JMH. */
    public Spawned() {}

    /** Opens the scope. */
    @Setup(Level.Iteration)
    public void open() {
      scope = Exec.scope();
    }

    /** Waits for the child. */
    @TearDown(Level.Invocation)
    public void join() throws InterruptedException {
      child.join().expectSuccess();
    }

    /** Closes the scope. */
    @TearDown(Level.Iteration)
    public void close() {
      scope.close();
    }

    ChildProcess spawn() {
      child = scope.spawn(COMMAND);
      return child;
    }
  }

  /** An empty scope, opened and closed. */
  @Benchmark
  public void openAndClose() {
    open().close();
  }

  /** The same on a virtual thread. */
  @Benchmark
  @Fork(value = 1, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
  public void openAndCloseVirtual() {
    open().close();
  }

  private static ExecScope open() {
    return Exec.scope();
  }

  /** Until {@code spawn} returns: the process runs. */
  @Benchmark
  public Object spawn(Spawned spawned) {
    return spawned.spawn();
  }

  /** The same on a virtual thread. */
  @Benchmark
  @Fork(value = 1, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
  public Object spawnVirtual(Spawned spawned) {
    return spawned.spawn();
  }
}
