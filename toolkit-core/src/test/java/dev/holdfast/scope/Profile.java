package dev.holdfast.scope;

/** How much a test does, by the system property {@code holdfast.profile}. */
final class Profile {
  private Profile() {}

  static boolean isLong() {
    return "long".equals(System.getProperty("holdfast.profile"));
  }

  static int times(int inShort, int inLong) {
    return isLong() ? inLong : inShort;
  }
}
