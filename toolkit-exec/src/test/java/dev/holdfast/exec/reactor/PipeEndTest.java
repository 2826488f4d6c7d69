package dev.holdfast.exec.reactor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.OpenFds;
import java.time.Duration;
import java.util.Arrays;
import java.util.NavigableSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the user of a pipe's end parks and is woken, whatever comes in between. */
class PipeEndTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long HANG_SECONDS = 120;

  private NavigableSet<Integer> before;
  private final AtomicInteger closed = new AtomicInteger();

  @BeforeEach
  void countDescriptors() {
    assertThat(Reactor.get()).isNotNull();
    Fds.devNull();
    before = OpenFds.list();
  }

  @AfterEach
  void descriptorsAreFlat() {
    await().atMost(SOON).untilAsserted(() -> assertThat(OpenFds.list()).isEqualTo(before));
  }

  private static int times(int inShort, int inLong) {
    return System.getProperty("holdfast.profile", "short").equals("long") ? inLong : inShort;
  }

  private ReadEnd readEnd(int fd) {
    ReadEnd end = new ReadEnd(closed::incrementAndGet);
    Reactor.get().reserve(end);
    assertThat(Fds.setNonBlocking(fd, true)).isZero();
    assertThat(end.adopt(fd)).isZero();
    return end;
  }

  private WriteEnd writeEnd(int fd) {
    WriteEnd end = new WriteEnd(closed::incrementAndGet);
    Reactor.get().reserve(end);
    assertThat(Fds.setNonBlocking(fd, true)).isZero();
    assertThat(end.adopt(fd)).isZero();
    return end;
  }

  private interface Body<T> {
    T run() throws Exception;
  }

  private static <T> CompletableFuture<T> start(ThreadFactory threads, Body<T> body) {
    CompletableFuture<T> result = new CompletableFuture<>();
    threads
        .newThread(
            () -> {
              try {
                result.complete(body.run());
              } catch (Throwable t) {
                result.completeExceptionally(t);
              }
            })
        .start();
    return result;
  }

  private static ThreadFactory threads(boolean virtual) {
    return virtual ? Thread.ofVirtual().factory() : Thread.ofPlatform().daemon().factory();
  }

  private static <T> T done(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(HANG_SECONDS, SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  /** Every byte is answered by one: each side parks for nearly each of them. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void pingPong_noWakeUpIsLost(boolean virtual) throws Exception {
    int rounds = times(10_000, 300_000);
    Fds.Pipe there = Fds.pipe();
    Fds.Pipe back = Fds.pipe();
    ReadEnd echoIn = readEnd(there.readEnd());
    WriteEnd echoOut = writeEnd(back.writeEnd());
    WriteEnd out = writeEnd(there.writeEnd());
    ReadEnd in = readEnd(back.readEnd());
    CompletableFuture<Integer> echo =
        start(
            threads(virtual),
            () -> {
              byte[] one = new byte[1];
              int echoed = 0;
              while (echoIn.read(one, 0, 1) == 1 && echoOut.write(one, 0, 1)) {
                echoed++;
              }
              return echoed;
            });
    CompletableFuture<Integer> caller =
        start(
            threads(virtual),
            () -> {
              byte[] one = new byte[1];
              for (int i = 0; i < rounds; i++) {
                one[0] = (byte) i;
                assertThat(out.write(one, 0, 1)).isTrue();
                assertThat(in.read(one, 0, 1)).isEqualTo(1);
                assertThat(one[0]).isEqualTo((byte) i);
              }
              out.close();
              return rounds;
            });
    assertThat(done(caller)).isEqualTo(rounds);
    assertThat(done(echo)).isEqualTo(rounds);
    in.close();
    echoOut.close();
  }

  /**
   * A writer that doesn't wait for its reader: a read finds data, nothing, or the end, at random.
   */
  @Test
  void burstsFromAForeignWriter_allArrive() throws Exception {
    int bursts = times(20_000, 400_000);
    Fds.Pipe pipe = Fds.pipe();
    ReadEnd end = readEnd(pipe.readEnd());
    CompletableFuture<Long> reader =
        start(
            threads(true),
            () -> {
              byte[] chunk = new byte[100];
              long total = 0;
              int n;
              while ((n = end.read(chunk, 0, chunk.length)) > 0) {
                total += n;
              }
              assertThat(n).isEqualTo(ReadEnd.END);
              return total;
            });
    NativeBlock block = NativeBlock.allocate(64);
    long written = 0;
    for (int i = 0; i < bursts; i++) {
      written += Fds.write(pipe.writeEnd(), block, 0, 1 + i % 64);
      for (int spin = i % 200; spin > 0; spin--) {
        Thread.onSpinWait();
      }
    }
    Fds.close(pipe.writeEnd());
    assertThat(done(reader)).isEqualTo(written);
    assertThat(closed).as("closed by its reader at the end").hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cut_whileItsUserWaits_wakesItAndClosesOnce(boolean virtual) throws Exception {
    Fds.Pipe pipe = Fds.pipe();
    ReadEnd end = readEnd(pipe.readEnd());
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Integer> reader =
        start(
            threads(virtual),
            () -> {
              begun.countDown();
              return end.read(new byte[10], 0, 10);
            });
    assertThat(begun.await(20, SECONDS)).isTrue();
    end.close();
    end.close();
    assertThat(done(reader)).isEqualTo(ReadEnd.WAS_CUT);
    assertThat(closed).hasValue(1);
    assertThat(Fds.isOpen(pipe.readEnd())).isFalse();
    assertThat(end.read(new byte[1], 0, 1)).isEqualTo(ReadEnd.WAS_CUT);
    Fds.close(pipe.writeEnd());
  }

  @Test
  void cut_racingWithReadsAndData_closesOnceAndHangsNobody() throws Exception {
    int rounds = times(500, 10_000);
    NativeBlock block = NativeBlock.allocate(8);
    for (int i = 0; i < rounds; i++) {
      Fds.Pipe pipe = Fds.pipe();
      ReadEnd end = readEnd(pipe.readEnd());
      CompletableFuture<Integer> reader =
          start(
              threads(i % 2 == 0),
              () -> {
                int n;
                do {
                  n = end.read(new byte[8], 0, 8);
                } while (n > 0);
                return n;
              });
      CompletableFuture<Integer> cutter =
          start(
              threads(true),
              () -> {
                end.close();
                return 0;
              });
      Fds.write(pipe.writeEnd(), block, 0, 1);
      assertThat(done(reader)).isEqualTo(ReadEnd.WAS_CUT);
      done(cutter);
      Fds.close(pipe.writeEnd());
    }
    assertThat(closed).hasValue(rounds);
  }

  @Test
  void secondUser_isRefusedWithASentence() throws Exception {
    Fds.Pipe pipe = Fds.pipe();
    ReadEnd end = readEnd(pipe.readEnd());
    Thread[] first = new Thread[1];
    CompletableFuture<Integer> reader =
        start(
            task -> first[0] = Thread.ofPlatform().daemon().unstarted(task),
            () -> end.read(new byte[1], 0, 1));
    await().atMost(SOON).until(() -> first[0].getState() == Thread.State.WAITING);
    assertThatIllegalStateException()
        .isThrownBy(() -> end.read(new byte[1], 0, 1))
        .withMessageContaining("Two threads");
    end.close();
    assertThat(done(reader)).isEqualTo(ReadEnd.WAS_CUT);
    Fds.close(pipe.writeEnd());
  }

  @Test
  void stopReading_wakesTheReaderAndLeavesTheDescriptor() throws Exception {
    Fds.Pipe pipe = Fds.pipe();
    ReadEnd end = readEnd(pipe.readEnd());
    CompletableFuture<Integer> reader =
        start(threads(true), () -> end.readUninterruptibly(new byte[1], 1));
    end.stopReading();
    assertThat(done(reader)).isEqualTo(ReadEnd.WAS_CUT);
    assertThat(end.release()).isEqualTo(pipe.readEnd());
    assertThat(end.release()).isNegative();
    assertThat(Fds.isOpen(pipe.readEnd())).isTrue();
    Fds.close(pipe.readEnd());
    Fds.close(pipe.writeEnd());
    assertThat(closed).hasValue(0);
  }

  @Test
  void interrupt_endsOneReadOnly_andLosesNothing() throws Exception {
    Fds.Pipe pipe = Fds.pipe();
    ReadEnd end = readEnd(pipe.readEnd());
    CountDownLatch interrupted = new CountDownLatch(1);
    CompletableFuture<String> reader =
        start(
            threads(true),
            () -> {
              Thread.currentThread().interrupt();
              try {
                return "read " + end.read(new byte[1], 0, 1);
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              byte[] one = new byte[1];
              return "interrupted, then read " + end.read(one, 0, 1) + ": " + one[0];
            });
    assertThat(interrupted.await(20, SECONDS)).isTrue();
    NativeBlock block = NativeBlock.allocate(1);
    block.putBytes(0, new byte[] {42}, 0, 1);
    assertThat(Fds.write(pipe.writeEnd(), block, 0, 1)).isEqualTo(1);
    assertThat(done(reader)).isEqualTo("interrupted, then read 1: 42");
    end.close();
    Fds.close(pipe.writeEnd());
  }

  @Test
  void write_moreThanThePipeHolds_arrivesInOrder() throws Exception {
    byte[] much = new byte[times(1_000_000, 20_000_000)];
    for (int i = 0; i < much.length; i++) {
      much[i] = (byte) (i * 31 + (i >> 13));
    }
    Fds.Pipe pipe = Fds.pipe();
    WriteEnd end = writeEnd(pipe.writeEnd());
    ReadEnd in = readEnd(pipe.readEnd());
    CompletableFuture<Boolean> writer =
        start(
            threads(true),
            () -> {
              boolean all = end.write(much, 0, much.length);
              end.close();
              return all;
            });
    byte[] read = new byte[much.length];
    int size = 0;
    byte[] chunk = new byte[5_000];
    for (int n; (n = in.read(chunk, 0, chunk.length)) > 0; size += n) {
      System.arraycopy(chunk, 0, read, size, n);
    }
    assertThat(done(writer)).isTrue();
    assertThat(Arrays.equals(read, much)).as("the bytes that arrived").isTrue();
  }

  @Test
  void write_toAPipeThatNobodyReads_isFalse() throws Exception {
    Fds.Pipe pipe = Fds.pipe();
    WriteEnd end = writeEnd(pipe.writeEnd());
    CompletableFuture<Boolean> writer =
        start(threads(true), () -> end.write(new byte[1_000_000], 0, 1_000_000));
    Fds.close(pipe.readEnd());
    assertThat(done(writer)).isFalse();
    end.close();
  }

  @Test
  void writeNow_fillsThePipeAndDoesNotWait() throws Exception {
    Fds.Pipe pipe = Fds.pipe();
    WriteEnd end = writeEnd(pipe.writeEnd());
    assertThat(end.writeNow(new byte[40_000])).isTrue();
    assertThat(end.writeNow(new byte[40_000])).as("64 KiB are full").isFalse();
    end.close();
    assertThat(end.writeNow(new byte[1])).isFalse();
    ReadEnd in = readEnd(pipe.readEnd());
    long read = 0;
    byte[] chunk = new byte[8_192];
    for (int n; (n = in.read(chunk, 0, chunk.length)) > 0; read += n) {
      assertThat(chunk[0]).isZero();
    }
    assertThat(read).isBetween(40_000L, 65_536L);
  }
}
