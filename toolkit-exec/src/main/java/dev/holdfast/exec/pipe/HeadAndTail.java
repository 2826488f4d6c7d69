package dev.holdfast.exec.pipe;

/** Keeps the first half of a limit and the last half, and forgets what is between. */
public final class HeadAndTail implements Sink {
  private final Capture head;
  private final Tail tail;
  private final int headLimit;
  private final byte[] rest = new byte[Sinks.CHUNK];
  private int headSize; // reactor's thread only
  private long seen; // guarded by this
  private final int limit;

  /**
   * An empty one.
   *
   * @param limit how many bytes to keep in all, at least 2
   */
  public HeadAndTail(int limit) {
    this.limit = limit;
    this.headLimit = limit / 2;
    this.head = new Capture(headLimit);
    this.tail = new Tail(limit - headLimit);
  }

  @Override
  public void reserve(int bytes) {
    head.reserve(bytes);
    tail.reserve(bytes);
  }

  @Override
  public synchronized Verdict accept(byte[] chunk, int length) {
    seen += length;
    int first = Math.min(length, headLimit - headSize);
    if (first > 0) {
      head.accept(chunk, first);
      headSize += first;
    }
    if (first < length) {
      System.arraycopy(chunk, first, rest, 0, length - first);
      tail.accept(rest, length - first);
    }
    return Verdict.MORE;
  }

  @Override
  public synchronized byte[] content() {
    byte[] first = head.content();
    byte[] last = tail.content();
    byte[] both = new byte[first.length + last.length];
    System.arraycopy(first, 0, both, 0, first.length);
    System.arraycopy(last, 0, both, first.length, last.length);
    return both;
  }

  @Override
  public synchronized boolean truncated() {
    return seen > limit;
  }
}
