package dev.holdfast.bench;

import com.zaxxer.nuprocess.NuProcessBuilder;
import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.DefaultExecutor;
import org.apache.commons.exec.PumpStreamHandler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.zeroturnaround.exec.ProcessExecutor;

/**
 * Spawn of {@code /bin/true}, its output thrown away in each library's own way, and wait for its
 * end. The limit is a C program that does nothing else; without gcc that one fails and the others
 * are measured. Run it with
 *
 * <pre>{@code
 * mvn -Dquick -DskipTests -Pbench -pl benchmarks -am package -Dbench.args=SpawnBenchmark
 * }</pre>
 *
 * or, for the ratios of medians over interleaved rounds, with {@link SpawnRatios}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(2)
@SuppressWarnings("NullAway") // JMH sets the states up before their use
public class SpawnBenchmark {
  private static final String PROGRAM = "/bin/true";
  private static final int BATCH = 20;
  private static final Command COMMAND =
      Command.of(PROGRAM).stdout(Output.discard()).stderr(Output.discard());

  /** For JMH. */
  public SpawnBenchmark() {}

  /** The limit. */
  @State(Scope.Thread)
  public static class Limit {
    private CSpawner spawner;

    /** For JMH. */
    public Limit() {}

    /** Compiles and starts the C program. */
    @Setup
    public void start() throws IOException, InterruptedException {
      spawner = CSpawner.start(PROGRAM);
    }

    /** Ends it. */
    @TearDown
    public void end() throws IOException, InterruptedException {
      spawner.close();
    }
  }

  /** A scope that lives as long as an iteration, owned by the thread that measures. */
  @State(Scope.Thread)
  public static class Owned {
    private ExecScope scope;

    /** For JMH. */
    public Owned() {}

    /** Opens the scope. */
    @Setup(Level.Iteration)
    public void open() {
      scope = Exec.scope();
    }

    /** Closes it. */
    @TearDown(Level.Iteration)
    public void close() {
      scope.close();
    }
  }

  /** {@code posix_spawn} and {@code waitpid} in C. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void c(Limit limit) throws IOException {
    limit.spawner.spawn(BATCH);
  }

  /** {@code scope.run} on a platform thread. */
  @Benchmark
  public Object holdfast(Owned owned) throws InterruptedException {
    return owned.scope.run(COMMAND).expectSuccess();
  }

  /** {@code scope.run} on a virtual thread. */
  @Benchmark
  @Fork(value = 2, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
  public Object holdfastVirtual(Owned owned) throws InterruptedException {
    return owned.scope.run(COMMAND).expectSuccess();
  }

  /** The JDK. */
  @Benchmark
  public int processBuilder() throws IOException, InterruptedException {
    return success(
        new ProcessBuilder(PROGRAM)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor());
  }

  /** zt-exec, which throws output away by default. */
  @Benchmark
  public int ztExec() throws Exception {
    return success(new ProcessExecutor(PROGRAM).execute().getExitValue());
  }

  /** commons-exec. */
  @Benchmark
  public int commonsExec() throws IOException {
    DefaultExecutor executor =
        DefaultExecutor.builder()
            .setExecuteStreamHandler(new PumpStreamHandler(OutputStream.nullOutputStream()))
            .get();
    return success(executor.execute(new CommandLine(PROGRAM)));
  }

  /** NuProcess, whose default handler throws output away. */
  @Benchmark
  public int nuProcess() throws InterruptedException {
    return success(
        new NuProcessBuilder(new Discarding(), PROGRAM).start().waitFor(0, TimeUnit.SECONDS));
  }

  private static final class Discarding extends com.zaxxer.nuprocess.NuAbstractProcessHandler {}

  private static int success(int status) {
    if (status != 0) {
      throw new IllegalStateException(PROGRAM + " has exited with " + status + ".");
    }
    return status;
  }
}
