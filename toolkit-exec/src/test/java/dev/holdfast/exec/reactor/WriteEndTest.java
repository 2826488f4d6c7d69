package dev.holdfast.exec.reactor;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WriteEndTest {
  private static final int LINES = 5_000;
  private static final String LINE = "x".repeat(30);
  private static final String OTHER = "q";

  /** A stop policy's write comes from another thread while the owner of the stream writes. */
  @Test
  void writeNow_besideAWriter_spoilsNeither_norIsOneRefused() {
    var pipe = Fds.pipe();
    Fds.setNonBlocking(pipe.writeEnd(), true);
    var end = new WriteEnd(() -> {});
    Reactor.get().reserve(end);
    assertThat(end.adopt(pipe.writeEnd())).isZero();
    var begun = new CountDownLatch(1);
    var read =
        CompletableFuture.supplyAsync(() -> readToTheEnd(pipe.readEnd()), task -> start(task));
    var written = CompletableFuture.supplyAsync(() -> writeLines(end, begun), task -> start(task));
    var others = 0;
    awaitQuietly(begun);
    while (!written.isDone()) {
      others += end.writeNow((OTHER + "\n").getBytes(US_ASCII)) ? 1 : 0;
    }
    assertThat(written.join()).isTrue();
    end.close();

    var lines = read.join().lines().collect(Collectors.groupingBy(x -> x, Collectors.counting()));
    Fds.close(pipe.readEnd());
    assertThat(lines.keySet()).isSubsetOf(LINE, OTHER);
    assertThat(lines).containsEntry(LINE, (long) LINES);
    assertThat(lines.getOrDefault(OTHER, 0L)).isEqualTo(others);
  }

  private static boolean writeLines(WriteEnd end, CountDownLatch begun) {
    var line = (LINE + "\n").getBytes(US_ASCII);
    try {
      for (var i = 0; i < LINES; i++) {
        if (!end.write(line, 0, line.length)) {
          return false;
        }
        begun.countDown();
      }
      return true;
    } catch (InterruptedException e) {
      return false;
    } finally {
      begun.countDown();
    }
  }

  private static String readToTheEnd(int fd) {
    var all = new ByteArrayOutputStream();
    var buffer = NativeBlock.allocate(4096);
    var chunk = new byte[4096];
    int n;
    while ((n = (int) Fds.read(fd, buffer, 0, chunk.length)) > 0) {
      buffer.getBytes(0, chunk, 0, n);
      all.writeBytes(Arrays.copyOf(chunk, n));
    }
    return all.toString(US_ASCII);
  }

  private static void start(Runnable task) {
    Thread.ofPlatform().daemon().start(task);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
