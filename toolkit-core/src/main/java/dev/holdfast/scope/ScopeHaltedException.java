package dev.holdfast.scope;

/** The scope is halted: it is ending what it owns and accepts nothing more. */
public final class ScopeHaltedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why the scope was halted. */
  private final Cause reason;

  ScopeHaltedException(String scope, Cause reason) {
    super(
        "Scope '%s' is halted (%s) and accepts nothing more; open another scope."
            .formatted(scope, reason));
    this.reason = reason;
  }

  /**
   * Why the scope was halted.
   *
   * @return the cause of the halt
   */
  public Cause reason() {
    return reason;
  }
}
