package dev.holdfast.exec;

import java.time.Duration;
import java.util.Objects;

/**
 * What the leader and those of its descendants that it has waited for have used, as the kernel
 * reports it when the leader is reaped ({@code wait4(2)}, {@code getrusage(2)}).
 *
 * @param userTime processor time spent in user mode; the kernel counts in microseconds
 * @param systemTime processor time spent in the kernel for the process
 * @param maxResidentBytes the largest resident set, in bytes, that any <em>one</em> of these
 *     processes had; the kernel counts in KiB. A process starts with the figure of the one that
 *     spawned it until it execs, so small children may show more than they used
 */
public record Usage(Duration userTime, Duration systemTime, long maxResidentBytes) {
  /** The usage of a child whose status could not be had, so that nothing is known. */
  static final Usage NONE = new Usage(Duration.ZERO, Duration.ZERO, 0);

  /**
   * Makes a usage of its parts.
   *
   * @throws IllegalArgumentException if any of them is negative
   */
  public Usage {
    Objects.requireNonNull(userTime, "userTime");
    Objects.requireNonNull(systemTime, "systemTime");
    if (userTime.isNegative() || systemTime.isNegative() || maxResidentBytes < 0) {
      throw new IllegalArgumentException(
          "A usage has no negative part, but this one is: user "
              + userTime
              + ", system "
              + systemTime
              + ", max resident bytes "
              + maxResidentBytes
              + ".");
    }
  }
}
