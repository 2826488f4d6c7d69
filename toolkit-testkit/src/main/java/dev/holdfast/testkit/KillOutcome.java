package dev.holdfast.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What one killed victim left.
 *
 * @param moment where or when it was killed, for a message
 * @param reached whether it came that far; if not, it was killed after it had printed its last line
 * @param survivors the processes with its marker that were still alive two seconds later; they have
 *     been killed since
 */
public record KillOutcome(String moment, boolean reached, List<ProcessEntry> survivors) {

  private static final Duration SETTLE = Duration.ofSeconds(2);

  /** Checks for null and copies the list. */
  public KillOutcome {
    Objects.requireNonNull(moment, "moment");
    survivors = List.copyOf(survivors);
  }

  /**
   * Asserts that no victim left anything.
   *
   * @param outcomes one for each victim
   * @throws AssertionError that lists the moments and survivors, or says that there was no victim
   */
  public static void assertNoSurvivors(List<KillOutcome> outcomes) {
    if (outcomes.isEmpty()) {
      throw new AssertionError("No victim was killed, so nothing was proven.");
    }
    var bad = outcomes.stream().filter(outcome -> !outcome.survivors().isEmpty()).toList();
    if (!bad.isEmpty()) {
      throw new AssertionError(
          "%d of %d killed victims left processes:%s"
              .formatted(bad.size(), outcomes.size(), Census.lines(bad)));
    }
  }

  /** The victim must have been killed already. */
  static KillOutcome of(String moment, boolean reached, VictimJvm victim, Marker marker) {
    victim.waitStatus();
    var census = Census.of(marker);
    boolean gone = Patience.until(SETTLE, census::isGone);
    return new KillOutcome(moment, reached, gone ? List.of() : census.endAll());
  }

  /** Returns a line for each survivor. */
  @Override
  public String toString() {
    return moment
        + (reached ? "" : " (not reached)")
        + Census.lines(survivors).indent(2).stripTrailing();
  }
}
