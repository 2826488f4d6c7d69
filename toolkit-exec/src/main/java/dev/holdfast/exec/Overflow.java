package dev.holdfast.exec;

/** What happens when a child writes more than {@link Output#capture(long, Overflow)} may keep. */
public enum Overflow {
  /**
   * The tree is ended and the call fails with {@link ExecException.Reason#OUTPUT_LIMIT}; what was
   * read is in {@link ExecException#result()}. The default, as a cut output that is taken for a
   * whole one is worse than a failure.
   */
  FAIL,

  /**
   * The child runs on to its own end. The head and the tail of the output are kept, together as
   * much as the limit, and joined without a mark; {@link Result#truncated()} is true.
   */
  TRUNCATE,

  /**
   * The tree is ended and the call returns a {@link Result} with what was read until then, whose
   * cause is {@code OUTPUT_LIMIT} and whose {@link Result#truncated()} is true.
   */
  STOP
}
