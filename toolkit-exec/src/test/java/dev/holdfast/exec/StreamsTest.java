package dev.holdfast.exec;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes into a child and comes out of it, beyond what a pipe holds. */
class StreamsTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int MIB = 1024 * 1024;

  private static Command sh(Marker marker, String script) {
    return Command.of(Fixture.shell(marker, script));
  }

  private static byte[] noise(int bytes) {
    long seed = System.nanoTime();
    System.out.println("noise seed " + seed);
    byte[] noise = new byte[bytes];
    new Random(seed).nextBytes(noise);
    return noise;
  }

  /** Counts its closes. */
  private static final class Counted extends ByteArrayInputStream {
    final AtomicInteger closed = new AtomicInteger();

    Counted(byte[] content) {
      super(content);
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void full01_callerWaitsFirstAndReadsAfter_completes(ExecScope scope) throws Exception {
    ChildProcess child =
        scope.spawn(Command.of("head", "-c", "200000", "/dev/zero").stdout(Output.capture()));
    assertThat(child.exited().get(20, SECONDS)).isEqualTo(new ExitStatus.Exited(0));
    assertThat(child.join().stdoutBytes()).hasSize(200_000);
  }

  @Test
  void full01_pipeThatIsReadAfterTheJoinWouldBlock_isCollected(ExecScope scope) throws Exception {
    ChildProcess child =
        scope.spawn(Command.of("head", "-c", "200000", "/dev/zero").stdout(Output.pipe()));
    Result result = child.join();
    assertThat(result.stdoutBytes()).as("a tail of it").hasSize(Output.TAIL);
    assertThat(result.truncated()).isTrue();
    assertThatIllegalStateException()
        .isThrownBy(child::stdout)
        .withMessageContaining("before join()");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes", "from", "pipe"})
  void full02_muchThroughCat_bytesEqual(String kind, ExecScope scope) throws Exception {
    byte[] content = noise(8 * MIB);
    Command cat = Command.of("cat").stdout(Output.capture());
    Result result =
        switch (kind) {
          case "bytes" -> scope.run(cat.stdin(Input.bytes(content)));
          case "from" -> scope.run(cat.stdin(Input.from(new ByteArrayInputStream(content))));
          default -> {
            ChildProcess child = scope.spawn(cat.stdin(Input.pipe()));
            try (OutputStream stdin = child.stdin()) {
              stdin.write(content);
            }
            yield child.join();
          }
        };
    assertThat(result.expectSuccess().stdoutBytes()).isEqualTo(content);
  }

  @Test
  void full02_muchThroughBothPipesOfTheCaller_bytesEqual(ExecScope scope) throws Exception {
    byte[] content = noise(2 * MIB);
    ChildProcess cat = scope.spawn(Command.of("cat").stdin(Input.pipe()).stdout(Output.pipe()));
    CompletableFuture<byte[]> read = new CompletableFuture<>();
    Thread reader =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    read.complete(cat.stdout().readAllBytes());
                  } catch (IOException e) {
                    read.completeExceptionally(e);
                  }
                });
    try (OutputStream stdin = cat.stdin()) {
      stdin.write(content);
    }
    assertThat(read.get(20, SECONDS)).isEqualTo(content);
    reader.join();
    assertThat(cat.join().expectSuccess().complete()).isTrue();
  }

  @Test
  void full03_muchOnStderrOnly_completes(ExecScope scope, Marker marker) throws Exception {
    Result result = scope.run(Command.of(Fixture.command(marker, "write", "stderr", "1048576")));
    assertThat(result.expectSuccess().stderrBytes()).hasSize(MIB);
    assertThat(result.stdoutBytes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tail", "capture", "discard"})
  void full04_onlyTheStatusIsAskedFor_completes(String kind, ExecScope scope, Marker marker)
      throws Exception {
    Command command =
        Command.of(Fixture.command(marker, "write", "stdout", "1048576", "exit", "9"));
    ChildProcess child =
        switch (kind) {
          case "tail" -> scope.spawn(command);
          case "capture" -> scope.spawn(command.stdout(Output.capture()));
          default -> scope.spawn(command.stdout(Output.discard()));
        };
    assertThat(child.exited().get(20, SECONDS)).isEqualTo(new ExitStatus.Exited(9));
  }

  @Test
  void stdin01_noInputGiven_endsAtOnce(ExecScope scope) throws Exception {
    Result result = scope.run(Command.of("wc", "-c").timeout(SOON));
    assertThat(result.expectSuccess().stdout().strip()).isEqualTo("0");
  }

  @Test
  void stdin02_muchWrittenAndClosed_countIsExact(ExecScope scope) throws Exception {
    ChildProcess child = scope.spawn(Command.of("wc", "-c").stdin(Input.pipe()));
    try (OutputStream stdin = child.stdin()) {
      byte[] chunk = new byte[MIB];
      for (int i = 0; i < 4; i++) {
        stdin.write(chunk);
      }
    }
    assertThat(child.join().expectSuccess().stdout().strip()).isEqualTo("4194304");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes", "from"})
  void e26_stdin03_childReadsFiveBytesOfMany_isNoFailure(String kind, ExecScope scope)
      throws Exception {
    byte[] content = new byte[10 * MIB];
    Counted source = new Counted(content);
    Command head = Command.of("head", "-c", "5");
    try (ErrorLog log = ErrorLog.open()) {
      Result result =
          scope.run(head.stdin(kind.equals("bytes") ? Input.bytes(content) : Input.from(source)));
      assertThat(result.expectSuccess().stdoutBytes()).containsExactly(0, 0, 0, 0, 0);
      assertThat(log.text()).as("what is logged").isEmpty();
    }
    assertThat(source.closed).as("the caller's stream").hasValue(0);
  }

  @Test
  void e26_stdin03_callerWritesToAChildThatReadsFiveBytes_onlyTheWriterIsTold(ExecScope scope)
      throws Exception {
    ChildProcess head = scope.spawn(Command.of("head", "-c", "5").stdin(Input.pipe()));
    assertThatIOException()
        .isThrownBy(() -> head.stdin().write(new byte[10 * MIB]))
        .withMessageContaining("reads no more");
    head.stdin().close();
    assertThat(head.join().expectSuccess().stdoutBytes()).hasSize(5);
  }

  @Test
  void inputFrom_isReadToItsEndAndNotClosed(ExecScope scope) throws Exception {
    Counted source = new Counted(new byte[100_000]);
    Result result = scope.run(Command.of("wc", "-c").stdin(Input.from(source)));
    assertThat(result.stdout().strip()).isEqualTo("100000");
    assertThat(source.closed).hasValue(0);
    assertThat(source.available()).isZero();
  }

  @Test
  void inputFrom_sourceThatThrows_isTheEndOfTheInputAndLogged(ExecScope scope) throws Exception {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("tape torn");
          }

          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            return read();
          }
        };
    try (ErrorLog log = ErrorLog.open()) {
      Result result = scope.run(Command.of("wc", "-c").stdin(Input.from(broken)));
      assertThat(result.expectSuccess().stdout().strip()).isEqualTo("0");
      assertThat(log.text()).contains("WARN").contains("tape torn").contains("wc -c");
    }
  }

  /** Never delivers a byte. */
  private static final class Silent extends InputStream {
    final CompletableFuture<String> ended = new CompletableFuture<>();
    final CountDownLatch release = new CountDownLatch(1);
    private final boolean deaf;

    Silent(boolean deaf) {
      this.deaf = deaf;
    }

    @Override
    public int read() throws IOException {
      while (true) {
        try {
          release.await();
          ended.complete("released");
          return -1;
        } catch (InterruptedException e) {
          if (!deaf) {
            ended.complete("interrupted");
            throw new IOException(e);
          }
        }
      }
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return read();
    }
  }

  @Test
  void stdin07_sourceThatNeverDelivers_runCompletesAndTheFeederIsInterrupted(ExecScope scope)
      throws Exception {
    Silent source = new Silent(false);
    try (ErrorLog log = ErrorLog.open()) {
      Result result = scope.run(Command.of("true").stdin(Input.from(source)).timeout(SOON));
      assertThat(result.expectSuccess().cause()).isEqualTo(Cause.SELF);
      assertThat(source.ended.get(20, SECONDS)).isEqualTo("interrupted");
      assertThat(log.text()).doesNotContain("WARN");
    }
  }

  @Test
  void stdin07_sourceStuckInAForeignRead_isAbandonedWithAWarn(ExecScope scope) throws Exception {
    Silent source = new Silent(true);
    try (ErrorLog log = ErrorLog.open()) {
      scope.run(Command.of("true").stdin(Input.from(source)).timeout(SOON)).expectSuccess();
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(log.text()).contains("abandoned").contains("'true'"));
    } finally {
      source.release.countDown();
    }
    assertThat(source.ended.get(20, SECONDS)).isEqualTo("released");
  }

  @Test
  void stdin_closedByTheCallerTwice_isAtItsEnd(ExecScope scope) throws Exception {
    ChildProcess child = scope.spawn(Command.of("cat").stdin(Input.pipe()));
    child.stdin().write('x');
    child.stdin().close();
    child.stdin().close();
    assertThat(child.join().stdout()).isEqualTo("x");
    assertThatIOException().isThrownBy(() -> child.stdin().write('y'));
  }

  @Test
  void stdout_begunBeforeTheJoin_staysReadableUntilTheScopeCloses(Marker marker) throws Exception {
    InputStream stdout;
    try (ExecScope scope = Exec.scope()) {
      ChildProcess child = scope.spawn(sh(marker, "echo one; echo two").stdout(Output.pipe()));
      stdout = child.stdout();
      child.join().expectSuccess();
      child.treeGone().get(20, SECONDS);
      assertThat(stdout.readNBytes(4)).asString().isEqualTo("one\n");
      assertThat(child.stdout()).isSameAs(stdout);
    }
    assertThatIOException().isThrownBy(stdout::read).withMessageContaining("closed");
  }

  @Test
  void lines_areReadAsTheyCome(ExecScope scope, Marker marker) {
    ChildProcess child =
        scope.spawn(
            sh(marker, "echo one; read x; echo \"two $x\"; sleep 60; :")
                .stdin(Input.pipe())
                .stdout(Output.pipe()));
    var lines = child.lines().iterator();
    assertThat(lines.next()).isEqualTo("one");
    write(child, "go\n");
    assertThat(lines.next()).isEqualTo("two go");
  }

  private static void write(ChildProcess child, String text) {
    try {
      child.stdin().write(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
