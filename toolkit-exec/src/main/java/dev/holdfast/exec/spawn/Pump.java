package dev.holdfast.exec.spawn;

import dev.holdfast.exec.pipe.ByteConsumer;
import dev.holdfast.exec.reactor.ReadEnd;
import org.jspecify.annotations.Nullable;

/** Hands what a child writes to code of the user, on a virtual thread of its own. */
final class Pump implements Runnable {
  private static final int CHUNK = 16 * 1024;

  private final ReadEnd end;
  private final ByteConsumer consumer;
  private final Wire.Owner owner;
  private final Runnable onEnd;

  private volatile @Nullable Throwable failure; // pump's thread
  private volatile boolean ended; // pump's thread
  private volatile boolean cut; // reactor's thread

  Pump(ReadEnd end, ByteConsumer consumer, Wire.Owner owner, Runnable onEnd) {
    this.end = end;
    this.consumer = consumer;
    this.owner = owner;
    this.onEnd = onEnd;
  }

  @Override
  public void run() {
    try {
      byte[] chunk = new byte[CHUNK];
      int n;
      while ((n = end.readUninterruptibly(chunk, CHUNK)) > 0) {
        owner.dataCame();
        consumer.accept(chunk, n);
      }
      if (n == ReadEnd.END) {
        consumer.end();
      }
    } catch (Throwable t) {
      failure = cut ? null : t;
    } finally {
      ended = true;
      onEnd.run();
      owner.wireChanged();
    }
  }

  void cut() {
    cut = true;
    end.stopReading();
  }

  boolean hasEnded() {
    return ended;
  }

  @Nullable Throwable failure() {
    return failure;
  }
}
