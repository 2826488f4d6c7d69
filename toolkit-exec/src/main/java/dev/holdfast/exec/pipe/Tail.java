package dev.holdfast.exec.pipe;

/** Keeps the last bytes in a ring that grows to its limit and no further. */
public final class Tail implements Sink {
  private static final int SMALLEST = 1024;

  private final int limit;
  private byte[] ring = new byte[0]; // guarded by this
  private int start; // guarded by this
  private int size; // guarded by this
  private long seen; // guarded by this

  /**
   * An empty tail.
   *
   * @param limit how many bytes to keep, at least 1
   */
  public Tail(int limit) {
    this.limit = limit;
  }

  @Override
  public synchronized void reserve(int bytes) {
    int wanted = (int) Math.min(limit, Math.max(SMALLEST, (long) size + bytes));
    if (wanted > ring.length) {
      int length = (int) Math.min(limit, Math.max(wanted, 2L * ring.length));
      byte[] larger = new byte[length];
      copyTo(larger);
      ring = larger;
      start = 0;
    }
  }

  @Override
  public synchronized Verdict accept(byte[] chunk, int length) {
    seen += length;
    int from = Math.max(0, length - ring.length);
    int count = length - from;
    int overwritten = Math.max(0, size + count - ring.length);
    start = (start + overwritten) % ring.length;
    size -= overwritten;
    int at = (start + size) % ring.length;
    int first = Math.min(count, ring.length - at);
    System.arraycopy(chunk, from, ring, at, first);
    System.arraycopy(chunk, from + first, ring, 0, count - first);
    size += count;
    return Verdict.MORE;
  }

  private void copyTo(byte[] target) {
    int first = Math.min(size, ring.length - start);
    System.arraycopy(ring, start, target, 0, first);
    System.arraycopy(ring, 0, target, first, size - first);
  }

  @Override
  public synchronized byte[] content() {
    byte[] kept = new byte[size];
    copyTo(kept);
    return kept;
  }

  @Override
  public synchronized boolean truncated() {
    return seen > size;
  }

  @Override
  public synchronized String toString() {
    return "Tail[" + size + " of " + limit + "]";
  }
}
