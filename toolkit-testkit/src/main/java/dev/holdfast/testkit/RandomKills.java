package dev.holdfast.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills victims at random moments after each has printed a line: the windows that no kill point
 * names.
 *
 * <p>The seed of the delays is logged. The delay counts from the moment at which this JVM has read
 * the line, so a victim is some tens of microseconds further.
 */
public final class RandomKills {

  private static final Logger LOG = LoggerFactory.getLogger(RandomKills.class);

  private final Function<Marker, VictimJvmBuilder> victim;
  private final String mark;
  private final Duration window;
  private final int parallel;

  private RandomKills(
      Function<Marker, VictimJvmBuilder> victim, String mark, Duration window, int parallel) {
    this.victim = Objects.requireNonNull(victim, "victim");
    this.mark = Objects.requireNonNull(mark, "mark");
    this.window = Objects.requireNonNull(window, "window");
    this.parallel = parallel;
  }

  /**
   * Kills of one kind of victim.
   *
   * @param victim makes the builder of a fresh victim, whose children carry the marker; called from
   *     several threads if the kills run in parallel
   * @param mark how the line begins after which it is killed; the victim flushes it
   * @param window the longest delay after the line
   * @return the series
   */
  public static RandomKills of(
      Function<Marker, VictimJvmBuilder> victim, String mark, Duration window) {
    return new RandomKills(victim, mark, window, 1);
  }

  /**
   * The same series with several victims at once.
   *
   * @param victims how many, from 1
   * @return the series
   */
  public RandomKills parallel(int victims) {
    return new RandomKills(victim, mark, window, victims);
  }

  /**
   * Kills so many victims.
   *
   * @param rounds the number of victims
   * @param seed decides the delays
   * @return what each one left
   */
  public List<KillOutcome> run(int rounds, long seed) {
    LOG.info("{} random kills within {} of \"{}\", seed {}", rounds, window, mark, seed);
    var delays =
        new Random(seed)
            .longs(rounds, 0, Math.max(1, window.toNanos()))
            .mapToObj(Duration::ofNanos)
            .toList();
    return Parallel.map(delays, parallel, this::kill);
  }

  private KillOutcome kill(Duration delay) {
    var marker = Marker.unique();
    try (var killed = victim.apply(marker).killAfter(mark, delay).start()) {
      killed.await(mark);
      var moment = delay.toNanos() / 1000 + " us after \"" + mark + "\"";
      return KillOutcome.of(moment, true, killed, marker);
    } finally {
      Census.of(marker).endAll();
    }
  }
}
