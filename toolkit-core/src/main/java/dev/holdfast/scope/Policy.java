package dev.holdfast.scope;

/**
 * What the end of one member means for its scope, as a {@code Joiner} does for a {@code
 * StructuredTaskScope} (JEP 505).
 */
public final class Policy {
  private static final Policy FAIL_FAST = new Policy();

  private Policy() {}

  /**
   * The default: the first member that fails halts the scope.
   *
   * @return the policy
   */
  public static Policy failFast() {
    return FAIL_FAST;
  }

  /** Asked once for each member that ended, under the scope's lock; true halts the scope. */
  boolean haltsAfter(boolean failed) {
    return failed;
  }

  @Override
  public String toString() {
    return "failFast";
  }
}
