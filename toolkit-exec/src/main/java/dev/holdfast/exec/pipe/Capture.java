package dev.holdfast.exec.pipe;

import java.util.Arrays;

/** Keeps the first bytes up to a limit; what comes after is the policy's to judge. */
public final class Capture implements Sink {
  private static final int SMALLEST = 8192;

  private final int limit;
  private byte[] kept = new byte[0]; // guarded by this
  private int size; // guarded by this
  private boolean truncated; // guarded by this

  /**
   * An empty capture.
   *
   * @param limit how many bytes to keep
   */
  public Capture(int limit) {
    this.limit = limit;
  }

  @Override
  public synchronized void reserve(int bytes) {
    int wanted = (int) Math.min(limit, (long) size + bytes);
    if (wanted > kept.length) {
      int length = (int) Math.min(limit, Math.max(Math.max(wanted, SMALLEST), 2L * kept.length));
      kept = Arrays.copyOf(kept, length);
    }
  }

  @Override
  public synchronized Verdict accept(byte[] chunk, int length) {
    int count = Math.min(length, limit - size);
    System.arraycopy(chunk, 0, kept, size, count);
    size += count;
    truncated |= count < length;
    return truncated ? Verdict.OVER_LIMIT : Verdict.MORE;
  }

  @Override
  public synchronized byte[] content() {
    return Arrays.copyOf(kept, size);
  }

  @Override
  public synchronized boolean truncated() {
    return truncated;
  }
}
