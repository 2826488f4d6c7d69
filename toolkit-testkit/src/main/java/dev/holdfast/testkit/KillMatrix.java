package dev.holdfast.testkit;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Kills a victim at each of its kill points: one run lists the points, then each point gets a run
 * in which the victim is held there and killed by SIGKILL.
 *
 * <p>The victim's main class calls {@link KillPoints#install()} before the steps under test and
 * prints {@code done} after them, then waits for its end, as by reading stdin.
 */
public final class KillMatrix {

  private static final String DONE = "done";

  private final Function<Marker, VictimJvmBuilder> victim;
  private final int parallel;

  private KillMatrix(Function<Marker, VictimJvmBuilder> victim, int parallel) {
    this.victim = Objects.requireNonNull(victim, "victim");
    this.parallel = parallel;
  }

  /**
   * A matrix of one kind of victim.
   *
   * @param victim makes the builder of a fresh victim, whose children carry the marker; called from
   *     several threads if the matrix runs in parallel
   * @return the matrix
   */
  public static KillMatrix of(Function<Marker, VictimJvmBuilder> victim) {
    return new KillMatrix(victim, 1);
  }

  /**
   * The same matrix with several victims at once.
   *
   * @param victims how many, from 1
   * @return the matrix
   */
  public KillMatrix parallel(int victims) {
    return new KillMatrix(victim, victims);
  }

  /**
   * Lets a victim run to {@code done} and lists its points.
   *
   * @return the points in the form {@code name#occurrence}, in the order in which they were passed
   */
  public List<String> points() {
    var marker = Marker.unique();
    try (var recorded = start(marker, KillPoints.RECORD)) {
      recorded.await(DONE);
      recorded.kill();
      recorded.waitStatus();
      return recorded.lines().stream()
          .takeWhile(line -> !line.startsWith(DONE))
          .filter(line -> line.startsWith(KillPoints.LINE))
          .map(line -> line.substring(line.lastIndexOf(' ') + 1))
          .toList();
    } finally {
      Census.of(marker).endAll();
    }
  }

  /**
   * Kills one victim at each point of {@link #points()}.
   *
   * @return what each one left, in the order of the points
   */
  public List<KillOutcome> killAtEach() {
    return killAt(points());
  }

  /**
   * Kills one victim at each of some points.
   *
   * @param points in the form {@code name#occurrence}
   * @return what each one left, in the order of the points
   */
  public List<KillOutcome> killAt(List<String> points) {
    return Parallel.map(points, parallel, this::killAt);
  }

  private KillOutcome killAt(String point) {
    var marker = Marker.unique();
    try (var held = start(marker, point)) {
      boolean reached = awaitPoint(held);
      held.kill();
      return KillOutcome.of(point, reached, held, marker);
    } finally {
      Census.of(marker).endAll();
    }
  }

  private static boolean awaitPoint(VictimJvm victim) {
    while (true) {
      var line = victim.await("");
      if (line.startsWith(KillPoints.LINE)) {
        return true;
      }
      if (line.startsWith(DONE)) {
        return false;
      }
    }
  }

  private VictimJvm start(Marker marker, String order) {
    return victim.apply(marker).systemProperty(KillPoints.PROPERTY, order).start();
  }
}
