package dev.holdfast.exec.outlive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.Profile;
import dev.holdfast.exec.spawn.CoverSwitch;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.CpuStress;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.KillMatrix;
import dev.holdfast.testkit.KillOutcome;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.RandomKills;
import dev.holdfast.testkit.VictimArchive;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.VictimJvmBuilder;
import dev.holdfast.testkit.Witnessed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A JVM that is killed in the middle of a spawn or of a teardown leaves nothing. */
@Witnessed
class SpawnKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(SpawnKillTest.class);
  private static final int VICTIMS = 2;
  private static final Duration WINDOW = Duration.ofMillis(2);

  /** A leader in the group that ignores TERM, with a child. */
  private static final String TREE = "trap '' TERM; echo ready; sleep 300 & sleep 300; :";

  private static @Nullable VictimArchive archive;

  @BeforeAll
  static void train() {
    var victim = VictimJvm.builder(SpawnVictim.class);
    List.of("/bin/sh", "-c", "echo ready").forEach(victim::arg);
    archive = VictimArchive.train(victim);
  }

  @AfterAll
  static void closeArchive() {
    if (archive != null) {
      archive.close();
    }
  }

  /** Who runs the victim. */
  enum User {
    AS_IS(builder -> builder),
    ORDINARY(VictimJvmBuilder::asOrdinaryUser);

    private final UnaryOperator<VictimJvmBuilder> choice;

    User(UnaryOperator<VictimJvmBuilder> choice) {
      this.choice = choice;
    }
  }

  @ParameterizedTest
  @EnumSource
  void o7_jvmKilledAtEachKillPoint_leavesNothing(User user) {
    var matrix = KillMatrix.of(marker -> spawner(marker, user)).parallel(VICTIMS);
    var points = matrix.points();
    assertThat(points)
        .contains(
            "spawn.armed#1",
            "libc.posix_spawn.before#1",
            "libc.posix_spawn.after#1",
            "spawn.called#1",
            "spawn.leader-armed#1",
            "spawn.posted#1",
            "supervision.adopt#1",
            "supervision.reap#1",
            "supervision.leave#1")
        .anyMatch(point -> point.startsWith("libc.clone.after"))
        .hasSizeGreaterThan(150);
    var chosen = Profile.isLong() ? points : sample(points, 24);
    try (var bystander = Bystander.start()) {
      var outcomes = matrix.killAt(chosen);

      KillOutcome.assertNoSurvivors(outcomes);
      var reached = outcomes.stream().filter(KillOutcome::reached).count();
      LOG.info("{} of {} kill points, {} reached", outcomes.size(), points.size(), reached);
      assertThat(reached).isGreaterThan(outcomes.size() * 8L / 10);
      bystander.assertUnharmed();
    }
  }

  /** The spawn that arms after: what the placeholder is for. */
  @Test
  void o7_control_armedAfterTheSpawn_leavesSurvivors() {
    var outcomes =
        KillMatrix.of(marker -> without("PLACEHOLDER", spawner(marker, User.AS_IS)))
            .parallel(VICTIMS)
            .killAt(List.of("libc.posix_spawn.after#1", "spawn.called#1", "spawn.posted#1"));

    assertThat(outcomes).allMatch(KillOutcome::reached);
    assertThat(outcomes)
        .extracting(outcome -> outcome.survivors().isEmpty())
        .containsExactly(false, false, true);
  }

  @ParameterizedTest
  @EnumSource
  void o7_orph06_jvmKilledWithin2msOfASpawn_leavesNothing(User user) {
    killAtRandom(user, Profile.times(30, 1000));
  }

  @ParameterizedTest
  @EnumSource
  void o7_orph06_jvmKilledWithin2msOfASpawnUnderLoad_leavesNothing(User user) {
    try (var load = CpuStress.start(Runtime.getRuntime().availableProcessors())) {
      assertThat(load).isNotNull();
      killAtRandom(user, Profile.times(30, 1000));
    }
  }

  /** The same kills hit the window if there is one. */
  @Test
  void o7_control_armedAfterTheSpawn_randomKillsFindSurvivors() {
    var tries = 0;
    var survivors = 0;
    while (survivors == 0) {
      assertThat(tries).as("kills without a survivor").isLessThan(200);
      var outcomes =
          RandomKills.of(
                  marker -> without("PLACEHOLDER", burst(marker, User.AS_IS)), "spawning", WINDOW)
              .parallel(VICTIMS)
              .run(8, new Random().nextLong());
      tries += outcomes.size();
      survivors +=
          (int) outcomes.stream().filter(outcome -> !outcome.survivors().isEmpty()).count();
    }
    LOG.info("{} of {} victims that arm after the spawn left survivors", survivors, tries);
  }

  private static void killAtRandom(User user, int rounds) {
    try (var bystander = Bystander.start()) {
      var outcomes =
          RandomKills.of(marker -> burst(marker, user), "spawning", WINDOW)
              .parallel(VICTIMS)
              .run(rounds, new Random().nextLong());

      assertThat(outcomes).hasSize(rounds);
      KillOutcome.assertNoSurvivors(outcomes);
      bystander.assertUnharmed();
    }
  }

  /** The points around the call itself, and others at random. */
  private static List<String> sample(List<String> points, int count) {
    var seed = new Random().nextLong();
    LOG.info("{} of {} kill points, seed {}", count, points.size(), seed);
    var first = points.indexOf("spawn.armed#1");
    var last = points.indexOf("spawn.posted#1");
    var sample = new ArrayList<>(points.subList(first, last + 1));
    var others = new ArrayList<>(points);
    others.removeAll(sample);
    java.util.Collections.shuffle(others, new Random(seed));
    sample.addAll(others.subList(0, Math.max(0, count - sample.size())));
    return sample;
  }

  private static VictimJvmBuilder spawner(Marker marker, User user) {
    return victim(SpawnVictim.class, marker, user, TREE);
  }

  private static VictimJvmBuilder burst(Marker marker, User user) {
    return victim(BurstVictim.class, marker, user, "trap '' TERM; sleep 300; :");
  }

  private static VictimJvmBuilder victim(Class<?> main, Marker marker, User user, String script) {
    var builder = user.choice.apply(VictimJvm.builder(main).marker(marker));
    builder.from(Objects.requireNonNull(archive));
    Fixture.shell(marker, script).forEach(builder::arg);
    return builder;
  }

  private static VictimJvmBuilder without(String covers, VictimJvmBuilder builder) {
    return builder.systemProperty(CoverSwitch.PROPERTY, covers);
  }
}
