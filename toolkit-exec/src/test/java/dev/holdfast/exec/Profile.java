package dev.holdfast.exec;

/** How much a test does: the build's short profile, or the full counts of {@code -Plong}. */
public final class Profile {
  private Profile() {}

  /** Whether the full counts are asked for. */
  public static boolean isLong() {
    return "long".equals(System.getProperty("holdfast.profile"));
  }

  /** One of the two counts. */
  public static int times(int inShort, int inLong) {
    return isLong() ? inLong : inShort;
  }
}
