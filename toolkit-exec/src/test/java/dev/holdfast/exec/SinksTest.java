package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.exec.ExecException.Reason;
import dev.holdfast.scope.Cause;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Gate;
import dev.holdfast.testkit.HaltInjector;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Code of the caller's that takes the output of a child. */
class SinksTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  private static final Duration SOON = Duration.ofSeconds(20);

  private static Command sh(Marker marker, String script) {
    return Command.of(Fixture.shell(marker, script));
  }

  private static Output throwing() {
    return Output.lines(
        line -> {
          throw new IllegalArgumentException("no " + line);
        });
  }

  /** Counts what is asked of it. */
  private static final class Counted extends ByteArrayOutputStream {
    final AtomicInteger flushed = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();

    @Override
    public void flush() {
      flushed.incrementAndGet();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void e11_sinkThatThrows_failsTheRunWhileDrainingGoesOn(ExecScope scope, Marker marker) {
    Command command =
        sh(marker, "echo line; head -c 1000000 /dev/zero; echo more; exit 3").stdout(throwing());
    ExecException failure = catchThrowableOfType(ExecException.class, () -> scope.run(command));
    assertThat(failure.reason()).isEqualTo(Reason.SINK_FAILED);
    assertThat(failure).hasCauseInstanceOf(IllegalArgumentException.class);
    assertThat(failure).hasMessageContaining("no line");
    assertThat(failure.result().status()).isEqualTo(new ExitStatus.Exited(3));
    assertThat(failure.result().cause()).isEqualTo(Cause.SELF);
  }

  @Test
  void e11_sinkThatBlocks_isCutByTheGrace(ExecScope scope, Marker marker) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CompletableFuture<String> ended = new CompletableFuture<>();
    Output blocking =
        Output.lines(
            line -> {
              try {
                never.await();
              } catch (InterruptedException e) {
                ended.complete("interrupted at " + line);
              }
            });
    Clock clock = Clock.start();
    Result result = scope.run(sh(marker, "echo one; echo two; exit 5").stdout(blocking));
    assertThat(clock.elapsed()).isLessThan(Duration.ofSeconds(10));
    assertThat(result.status()).isEqualTo(new ExitStatus.Exited(5));
    assertThat(result.complete()).isFalse();
    assertThat(ended.get(20, SECONDS)).isEqualTo("interrupted at one");
  }

  @Test
  void e11_sinkThatBlocksWhileMuchIsWritten_doesNotHoldTheChild(ExecScope scope, Marker marker)
      throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Output blocking = Output.to(blockingUntil(release));
    ChildProcess child =
        scope.spawn(
            sh(marker, "echo x; exec sleep 60").stdout(blocking).timeout(Duration.ofMillis(300)));
    Result result = child.join();
    assertThat(result.cause()).isEqualTo(Cause.TIMEOUT);
    assertThat(result.complete()).isFalse();
    child.treeGone().get(20, SECONDS);
    release.countDown();
  }

  /** Deaf to interrupts, as a foreign call may be. */
  private static OutputStream blockingUntil(CountDownLatch release) {
    return new OutputStream() {
      @Override
      public void write(int b) {
        throw new AssertionError("written in pieces");
      }

      @Override
      public void write(byte[] bytes, int offset, int length) {
        awaitDeaf(release);
      }
    };
  }

  private static void awaitDeaf(CountDownLatch latch) {
    boolean open = false;
    while (!open) {
      try {
        latch.await();
        open = true;
      } catch (InterruptedException e) {
        // deaf
      }
    }
  }

  @Test
  void e11_join_waitsForWhatTheSinkStillDelivers(ExecScope scope) throws Exception {
    for (int i = 0; i < Profile.times(10, 100); i++) {
      List<String> lines = new CopyOnWriteArrayList<>();
      Result result =
          scope.spawn(Command.of("seq", "1", "2000").stdout(Output.lines(lines::add))).join();
      assertThat(lines).as("run %d", i).hasSize(2_000).endsWith("1999", "2000");
      assertThat(result.complete()).isTrue();
    }
  }

  @Test
  void e10_lastLineWithoutNewline_isDeliveredThoughADescendantHoldsThePipe(
      ExecScope scope, Marker marker) throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    Counted stream = new Counted();
    try (ErrorLog log = ErrorLog.open()) {
      Result result =
          scope.run(
              sh(marker, "sleep 30 & echo first; printf partial; printf raw >&2; exit 6")
                  .stdout(Output.lines(lines::add))
                  .stderr(Output.to(stream)));
      assertThat(result.status()).isEqualTo(new ExitStatus.Exited(6));
      assertThat(result.complete()).isFalse();
      assertThat(lines).containsExactly("first", "partial");
      assertThat(stream.flushed).hasPositiveValue();
      assertThat(log.text()).as("no sink is to blame").doesNotContain("sink");
    }
  }

  @Test
  void outputTo_isFlushedAndNotClosed(ExecScope scope, Marker marker) throws Exception {
    Counted out = new Counted();
    Counted err = new Counted();
    scope
        .run(
            sh(marker, "printf 'a\\377'; printf b >&2")
                .stdout(Output.to(out))
                .stderr(Output.to(err)))
        .expectSuccess();
    assertThat(out.toByteArray()).containsExactly('a', 0xff);
    assertThat(err.toString(UTF_8)).isEqualTo("b");
    assertThat(out.flushed).hasPositiveValue();
    assertThat(out.closed).hasValue(0);
    assertThat(err.closed).hasValue(0);
  }

  @Test
  void outputTo_streamThatThrows_failsTheRun(ExecScope scope, Marker marker) {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("disk full");
          }
        };
    assertThatExceptionOfType(ExecException.class)
        .isThrownBy(() -> scope.run(sh(marker, "echo x >&2").stderr(Output.to(broken))))
        .withMessageContaining("disk full")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.SINK_FAILED));
  }

  @Test
  void sinks_runOnVirtualThreads_neverOnTheReactor(ExecScope scope, Marker marker)
      throws Exception {
    List<Thread> threads = new CopyOnWriteArrayList<>();
    Output noting = Output.lines(line -> threads.add(Thread.currentThread()));
    scope.run(sh(marker, "echo a; echo b >&2").stdout(noting).stderr(noting));
    assertThat(threads).hasSize(2).allMatch(Thread::isVirtual);
  }

  /** Its sink fails once its stdin is closed: not before spawn has returned the child. */
  private static Command whenAsked(Marker marker, String script) {
    return sh(marker, "read line; " + script).stdin(Input.pipe()).stdout(throwing());
  }

  @Test
  void e36_sinkFailureThatNobodyJoined_isThrownByClose(Marker marker, Census census)
      throws Exception {
    ExecScope scope = Exec.scope();
    scope.spawn(sh(marker, "sleep 60; :"));
    ChildProcess child = scope.spawn(whenAsked(marker, "echo lost; exit 3"));
    child.stdin().close();
    await().atMost(SOON).until(() -> child.outputDrained().isDone());
    ExecException failure = catchThrowableOfType(ExecException.class, scope::close);
    assertThat(failure.reason()).isEqualTo(Reason.SINK_FAILED);
    assertThat(failure).hasMessageContaining("no lost");
    assertThat(failure.result().status()).isEqualTo(new ExitStatus.Exited(3));
    census.assertNone();
  }

  @Test
  void e36_sinkFailureThatWasJoined_isNotThrownAgain(Marker marker) throws Exception {
    try (ExecScope scope = Exec.scope()) {
      ChildProcess child = scope.spawn(whenAsked(marker, "echo lost"));
      child.stdin().close();
      assertThatExceptionOfType(ExecException.class).isThrownBy(child::join);
    }
  }

  @Test
  void e36_sinkFailureOfASpawnedChild_haltsItsSiblings(Marker marker, Census census)
      throws Exception {
    ExecScope scope = Exec.scope();
    ChildProcess sibling = scope.spawn(sh(marker, "sleep 60; :"));
    scope.spawn(whenAsked(marker, "echo lost")).stdin().close();
    assertThat(sibling.join().cause()).isEqualTo(Cause.SIBLING_FAILED);
    assertThatExceptionOfType(ExecException.class)
        .isThrownBy(scope::join)
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.SINK_FAILED));
    scope.close();
    census.assertNone();
  }

  @Test
  void e36_bodyFailureThatNobodyJoined_isThrownByClose(Marker marker, Census census) {
    ExecScope scope = Exec.scope();
    scope.spawn(sh(marker, "sleep 60; :"));
    var task =
        scope.fork(
            inner -> {
              inner.spawn(sh(marker, "sleep 60; :"));
              throw new IOException("nobody listens");
            });
    await().atMost(SOON).until(() -> task.state() == dev.holdfast.scope.Task.State.FAILED);
    assertThatExceptionOfType(dev.holdfast.scope.ScopeFailedException.class)
        .isThrownBy(scope::close)
        .withMessageContaining("nobody listens");
    census.assertNone();
  }

  @Test
  void e36_sinkFailureBeforeSpawnReturns_isThrownByClose(Marker marker, Census census)
      throws Exception {
    AtomicReference<Throwable> refusal = new AtomicReference<>();
    ExecScope scope = Exec.scope();
    Command command = sh(marker, "echo early").stdout(throwing());
    try (Gate gate = new Gate();
        HaltInjector injector = HaltInjector.at("spawn.published", 1, gate)) {
      Thread spawner =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      scope.spawn(command);
                    } catch (Throwable t) {
                      refusal.set(t);
                    }
                  });
      gate.awaitReached();
      assertThat(scope.awaitProcesses(SOON)).isTrue();
      gate.open();
      spawner.join();
      assertThat(injector.fired()).isPresent();
    }
    assertThat(refusal.get())
        .isInstanceOfSatisfying(
            ExecException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SCOPE_HALTED));
    assertThatExceptionOfType(ExecException.class)
        .isThrownBy(scope::close)
        .withMessageContaining("no early")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.SINK_FAILED));
    census.assertNone();
  }

  @Test
  void e37_sinkThatBlocks_processesAreGoneAndItIsNamed(Marker marker, Census census)
      throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch blocked = new CountDownLatch(1);
    try (ErrorLog log = ErrorLog.open()) {
      ExecScope scope = Exec.scope();
      scope.spawn(
          sh(marker, "echo x; sleep 60; :")
              .stdout(
                  Output.lines(
                      line -> {
                        blocked.countDown();
                        standsInTheWay(release);
                      })));
      assertThat(blocked.await(20, SECONDS)).isTrue();
      scope.close();
      census.assertNone();
      assertThat(log.text())
          .contains("WARN")
          .contains("A sink of '")
          .contains("echo x; sleep 60")
          .contains("standsInTheWay");
    } finally {
      release.countDown();
    }
  }

  private static void standsInTheWay(CountDownLatch release) {
    awaitDeaf(release);
  }

  @Test
  void e37_bodyThatSwallowsInterrupts_processesAreGoneAndItIsNamed(Marker marker, Census census)
      throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch inBody = new CountDownLatch(1);
    List<Integer> alive = new ArrayList<>();
    try (ErrorLog log = ErrorLog.open()) {
      Thread helper =
          Thread.ofVirtual()
              .unstarted(
                  () -> {
                    await().atMost(SOON).until(() -> log.text().contains("standsInTheWay"));
                    alive.add(census.live().size());
                    release.countDown();
                  });
      try (ExecScope scope = Exec.scope()) {
        scope.spawn(sh(marker, "sleep 60; :"));
        scope.fork(
            inner -> {
              inner.spawn(sh(marker, "sleep 60; :"));
              inBody.countDown();
              standsInTheWay(release);
              return null;
            });
        assertThat(inBody.await(20, SECONDS)).isTrue();
        census.awaitLive(4, SOON);
        helper.start();
      } finally {
        release.countDown();
      }
      helper.join();
      assertThat(alive).as("processes while the body held up the close").containsExactly(0);
      assertThat(log.text()).contains("WARN").contains("body");
    }
  }

  @Test
  void e37_finalizerThatBlocks_processesAreGoneAndItIsNamed(Marker marker, Census census)
      throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<Integer> alive = new CopyOnWriteArrayList<>();
    try (ErrorLog log = ErrorLog.open()) {
      Thread helper =
          Thread.ofVirtual()
              .start(
                  () -> {
                    await().atMost(SOON).until(() -> log.text().contains("standsInTheWay"));
                    release.countDown();
                  });
      try (ExecScope scope = Exec.scope()) {
        scope.onClose(
            () -> {
              alive.add(census.live().size());
              standsInTheWay(release);
            });
        scope.spawn(sh(marker, "trap '' TERM; sleep 60; :").stop(StopPolicy.kill()));
      } finally {
        release.countDown();
      }
      helper.join();
      assertThat(alive).as("processes when the finalizer ran").containsExactly(0);
      assertThat(log.text()).contains("WARN").contains("finalizer");
    }
  }
}
