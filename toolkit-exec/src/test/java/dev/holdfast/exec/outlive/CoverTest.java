package dev.holdfast.exec.outlive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.Bystander;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ProcessEntry;
import dev.holdfast.testkit.Witnessed;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Children that defeat one cover go by another; without that other one they stay. */
@Witnessed
class CoverTest {
  private static final String ALL_THERE = "";

  @Test
  void orph19_childClosesItsWire_goes(Marker marker) {
    assertThat(survivors(marker, ALL_THERE, closer(marker), CoverTest::awaitClosed)).isEmpty();
  }

  @Test
  void orph19_childClosesItsWireAndTheJvmKeepsNone_stays(Marker marker) {
    assertThat(survivors(marker, "KEPT_READ_END", closer(marker), CoverTest::awaitClosed))
        .isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"timeout 300 sleep 300", "setsid sleep 300"})
  void orph21_leaderWithAGroupOfItsOwn_goes(String leader, Marker marker) {
    assertThat(survivors(marker, ALL_THERE, program(leader, marker), CoverTest::awaitOwnGroup))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"timeout 300 sleep 300", "setsid sleep 300"})
  void orph21_leaderWithAGroupOfItsOwnThatIsNotArmed_stays(String leader, Marker marker) {
    var command = program(leader, marker);
    assertThat(survivors(marker, "LEADER_READ_END", command, CoverTest::awaitOwnGroup))
        .isNotEmpty();
  }

  private static List<String> closer(Marker marker) {
    return Fixture.shell("/bin/bash", marker, "exec 3>&1; exec 100>&-; echo settled; sleep 300; :");
  }

  private static List<String> program(String words, Marker marker) {
    return Fixture.program(marker, words.split(" "));
  }

  private static void awaitClosed(Owner owner) {
    owner.awaitLines("settled", 1);
    assertThat(Census.descriptors(owner.children().getFirst()))
        .as("the child's descriptors")
        .isNotEmpty()
        .noneMatch(descriptor -> descriptor.number() == 100);
  }

  private static void awaitOwnGroup(Owner owner) {
    long leader = owner.children().getFirst();
    Owner.await(() -> Census.process(leader).orElseThrow().pgid() == leader);
    Owner.await(
        () -> owner.others().live().stream().anyMatch(e -> e.command().equals("sleep 300")));
  }

  /** Kills an owner once its child is what it will be; what is left has been ended. */
  private static List<ProcessEntry> survivors(
      Marker marker, String covers, List<String> command, Consumer<Owner> settled) {
    try (var bystander = Bystander.start();
        var owner = Owner.start(Owner.without(covers, marker, command), marker)) {
      settled.accept(owner);
      owner.die(Death.KILL);
      bystander.assertUnharmed();
      return owner.survivors(covers.isEmpty() ? Owner.SOON : Owner.LONG_ENOUGH);
    }
  }
}
