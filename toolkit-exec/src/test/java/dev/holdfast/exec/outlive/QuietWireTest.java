package dev.holdfast.exec.outlive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.Profile;
import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.Witnessed;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing fires while the owner lives. */
@Witnessed
class QuietWireTest {
  @Test
  void o12_jvmStopped_childrenLive(Marker marker) {
    try (var bystander = Bystander.start();
        var owner = Owner.start(Owner.builder(marker, sleep(marker), setsid(marker)), marker)) {
      owner.others().awaitLive(2, Owner.SOON);
      assertThat(owner.jvm().signal("STOP")).isTrue();
      Owner.await(() -> Census.process(owner.jvm().pid()).orElseThrow().isStopped());

      assertQuiet(owner, Duration.ofSeconds(Profile.times(5, 60)));

      assertThat(owner.jvm().signal("CONT")).isTrue();
      assertStillOwned(owner);
      bystander.assertUnharmed();
    }
  }

  /** A death signal that is bound to the spawning thread would fire here. */
  @ParameterizedTest
  @ValueSource(strings = {"platform", "virtual"})
  void o12_orph09_spawningThreadEnded_childrenLive(String spawner, Marker marker) {
    try (var bystander = Bystander.start();
        var owner =
            Owner.start(
                Owner.builder(marker, sleep(marker), setsid(marker))
                    .systemProperty(OwnerVictim.SPAWNER, spawner),
                marker)) {
      owner.others().awaitLive(2, Owner.SOON);

      assertQuiet(owner, Duration.ofSeconds(Profile.times(2, 45)));

      assertStillOwned(owner);
      bystander.assertUnharmed();
    }
  }

  private static void assertQuiet(Owner owner, Duration time) {
    var before = owner.others().live().stream().map(ProcessEntry::pid).toList();
    Awaitility.await()
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(500))
        .during(time)
        .atMost(time.plus(Owner.SOON))
        .until(() -> owner.others().live().stream().map(ProcessEntry::pid).toList().equals(before));
    assertThat(before).hasSize(2);
  }

  /** What was quiet is still armed: the JVM answers, and its death ends them. */
  private static void assertStillOwned(Owner owner) {
    owner.jvm().send("ping");
    owner.jvm().await("ping", Owner.SOON);
    owner.die(Death.KILL);
    owner.others().awaitGone(Owner.SOON);
  }

  private static List<String> sleep(Marker marker) {
    return Fixture.program(marker, "sleep", "300");
  }

  private static List<String> setsid(Marker marker) {
    return Fixture.program(marker, "setsid", "sleep", "300");
  }
}
