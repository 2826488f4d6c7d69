package dev.holdfast.exec.pipe;

/**
 * Takes what a child writes, on the reactor's thread: never blocks, never calls code of the user.
 * Its content is asked for when the stream has ended, by any thread.
 */
public interface Sink {
  /** What a sink thinks of the bytes it got. */
  enum Verdict {
    /** Go on. */
    MORE,
    /** The limit is passed, and the child is to be ended. */
    OVER_LIMIT
  }

  /**
   * Makes room, so that the next {@link #accept} of up to this many bytes can't fail: called before
   * the bytes leave the kernel.
   *
   * @param bytes how many bytes may come
   */
  void reserve(int bytes);

  /**
   * Takes bytes. Must not allocate beyond what was reserved.
   *
   * @param chunk holds the bytes at its start
   * @param length how many
   * @return whether to go on
   */
  Verdict accept(byte[] chunk, int length);

  /**
   * What was kept.
   *
   * @return a copy
   */
  byte[] content();

  /**
   * Whether more was written than kept.
   *
   * @return true when bytes are missing
   */
  boolean truncated();
}
