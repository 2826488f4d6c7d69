package dev.holdfast.testkit;

/**
 * One open descriptor as {@code /proc/<pid>/fd} shows it.
 *
 * @param number the descriptor
 * @param target what its link says: a path, {@code pipe:[123]}, {@code anon_inode:[pidfd]}, ...
 */
public record Descriptor(int number, String target) {

  /** Returns one line for a failure message. */
  @Override
  public String toString() {
    return "fd " + number + " -> " + target;
  }
}
