package dev.holdfast.scope;

/**
 * Lets a StackOverflowError come before an operation instead of in its middle, where it would tear
 * what belongs together: a fork of the JDK's task scope that is hit halfway makes its close hang.
 */
final class StackRoom {
  /** Frames of some 250 bytes each. */
  private static final int FOR_ONE_STEP = 200;

  private static final int FOR_OPEN = FOR_ONE_STEP * 3 / 2;

  private StackRoom() {}

  /**
   * Ensures the room for any one operation of a scope.
   *
   * @throws StackOverflowError when there is less
   */
  static void ensure() {
    use(FOR_ONE_STEP, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  }

  /** Ensures more, so that what was opened can be closed by the same caller. */
  static void ensureForOpen() {
    use(FOR_OPEN, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  }

  /** All parameters live across the call, so that a compiled frame holds them too. */
  private static long use(
      int frames,
      long a,
      long b,
      long c,
      long d,
      long e,
      long f,
      long g,
      long h,
      long i,
      long j,
      long k,
      long l) {
    if (frames == 0) {
      return a;
    }
    long deeper = use(frames - 1, b, c, d, e, f, g, h, i, j, k, l, a);
    return deeper ^ a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l;
  }
}
