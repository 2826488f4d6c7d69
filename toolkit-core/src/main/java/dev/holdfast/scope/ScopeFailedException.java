package dev.holdfast.scope;

/** A forked body failed; the cause is what it threw. */
public final class ScopeFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ScopeFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
