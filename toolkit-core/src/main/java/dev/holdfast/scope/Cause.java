package dev.holdfast.scope;

/** Who caused an end, as opposed to how it ended. */
public enum Cause {
  /** It ended by itself. */
  SELF,
  /** It was stopped or killed through its own handle. */
  STOPPED,
  /** Its time was up. */
  TIMEOUT,
  /** Its scope was halted, or the JVM shut down. */
  HALTED,
  /** Its scope was closed. */
  CLOSED,
  /** Its scope was halted by the failure of a sibling. */
  SIBLING_FAILED,
  /** It wrote more than it was allowed to. */
  OUTPUT_LIMIT
}
