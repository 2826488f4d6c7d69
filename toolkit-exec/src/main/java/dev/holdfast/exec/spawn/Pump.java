package dev.holdfast.exec.spawn;

import dev.holdfast.exec.pipe.ByteConsumer;
import dev.holdfast.exec.reactor.ReadEnd;
import org.jspecify.annotations.Nullable;

/** Hands what a child writes to code of the user, on a virtual thread of its own. */
final class Pump implements Runnable {
  private static final int CHUNK = 16 * 1024;
  private static final long READING = 0;

  private final ReadEnd end;
  private final ByteConsumer consumer;
  private final Wire.Owner owner;
  private final Runnable onEnd;

  private volatile long delivers = READING; // pump's thread: since when, or not
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
        delivers = now();
        consumer.accept(chunk, n);
        delivers = READING;
      }
      delivers = now();
      if (!cut) {
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

  private static long now() {
    long now = System.nanoTime();
    return now == READING ? now + 1 : now;
  }

  /** Nothing more is read; what was read is delivered, and the consumer told of the end. */
  void stopReading() {
    end.stopReading();
  }

  /** What is not delivered by now never will be. */
  void cut() {
    cut = true;
    end.stopReading();
  }

  boolean hasEnded() {
    return ended;
  }

  /** Whether code of the user's has been at one piece of output for so long. */
  boolean isStuck(long now, long nanos) {
    long since = delivers;
    return since != READING && now - since >= nanos;
  }

  @Nullable Throwable failure() {
    return failure;
  }
}
