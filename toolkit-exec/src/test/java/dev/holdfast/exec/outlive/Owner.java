package dev.holdfast.exec.outlive;

import dev.holdfast.exec.spawn.CoverSwitch;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.VictimJvmBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;

/** A victim JVM that owns trees, as the test sees it. */
final class Owner implements AutoCloseable {
  /** How long a test waits for what happens by itself at once; generous, for a loaded machine. */
  static final Duration SOON = Duration.ofSeconds(30);

  /** How long survivors are waited for where a cover is taken out. */
  static final Duration LONG_ENOUGH = Duration.ofSeconds(2);

  private final VictimJvm victim;
  private final Census others;
  private final List<Long> children = new ArrayList<>();

  private Owner(VictimJvm victim, Marker marker) {
    this.victim = victim;
    this.others = Census.of(marker).except(victim.pid());
  }

  /** A victim that will own the commands. */
  @SafeVarargs
  static VictimJvmBuilder builder(Marker marker, List<String>... commands) {
    var builder = Death.deadly(VictimJvm.builder(OwnerVictim.class).marker(marker));
    for (List<String> command : commands) {
      command.forEach(builder::arg);
      builder.arg(OwnerVictim.NEXT);
    }
    return builder;
  }

  /** A victim that lacks some covers, separated by commas. */
  @SafeVarargs
  static VictimJvmBuilder without(String covers, Marker marker, List<String>... commands) {
    return builder(marker, commands).systemProperty(CoverSwitch.PROPERTY, covers);
  }

  /** Starts it, and returns when it has spawned all. */
  static Owner start(VictimJvmBuilder builder, Marker marker) {
    var victim = builder.start();
    try {
      var owner = new Owner(victim, marker);
      owner.victim.await("owner up", SOON);
      victim.lines().stream()
          .filter(line -> line.startsWith("child "))
          .forEach(line -> owner.children.add(Long.parseLong(line.substring(6))));
      return owner;
    } catch (Throwable t) {
      victim.close();
      throw t;
    }
  }

  VictimJvm jvm() {
    return victim;
  }

  /** The leaders' pids. */
  List<Long> children() {
    return children;
  }

  /** All with the marker but the JVM. */
  Census others() {
    return others;
  }

  /** Waits until the children have printed that many lines with that beginning; returns them. */
  List<String> awaitLines(String prefix, int count) {
    await(() -> lines(prefix).size() >= count || !victim.isAlive());
    var lines = lines(prefix);
    if (lines.size() < count) {
      throw new AssertionError(
          "Expected %d lines \"%s\" of %s.%s".formatted(count, prefix, victim, victim.output()));
    }
    return lines;
  }

  /** Waits, on this thread, until that is so. */
  static void await(Callable<Boolean> condition) {
    poll().atMost(SOON).until(condition);
  }

  private static ConditionFactory poll() {
    return Awaitility.await()
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5));
  }

  private List<String> lines(String prefix) {
    return victim.lines().stream().filter(line -> line.startsWith(prefix)).toList();
  }

  /** Ends the JVM and waits for its end; returns its status. */
  int die(Death death) {
    death.strike(victim);
    return victim.waitStatus(SOON);
  }

  /** Who is left after a time, or empty as soon as all have gone; they are ended here. */
  List<ProcessEntry> survivors(Duration limit) {
    try {
      poll().atMost(limit).until(others::isGone);
      return List.of();
    } catch (ConditionTimeoutException e) {
      return others.endAll();
    }
  }

  @Override
  public void close() {
    victim.close();
    others.endAll();
  }
}
