package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.FixtureTree.Kind;
import java.time.Duration;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FixtureTreeTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void tree_sizes_countTheProcessesOfEachKind() {
    var tree =
        FixtureTree.of(
            Kind.EXITER,
            FixtureTree.of(Kind.DOUBLE_FORKER, FixtureTree.of(Kind.SHELL)),
            FixtureTree.of(Kind.SLEEPER));

    assertThat(tree.size()).isEqualTo(6);
    assertThat(tree.lasting()).isEqualTo(5);
    assertThat(tree.kinds())
        .containsExactlyInAnyOrder(Kind.EXITER, Kind.DOUBLE_FORKER, Kind.SHELL, Kind.SLEEPER);
    assertThat(tree).hasToString("EXITER[DOUBLE_FORKER[SHELL], SLEEPER]");
  }

  @ParameterizedTest
  @MethodSource("dev.holdfast.testkit.FixtureTrees#oneOfEachKind")
  void tree_ofOneKind_standsWithAllItsProcesses(FixtureTree tree) throws Exception {
    standsAsItSays(tree);
  }

  @Property(tries = 25)
  void tree_anyShape_standsWithAllItsProcesses(@ForAll("trees") FixtureTree tree) throws Exception {
    standsAsItSays(tree);
  }

  @Provide
  Arbitrary<FixtureTree> trees() {
    return FixtureTrees.trees(3, 3);
  }

  private static void standsAsItSays(FixtureTree tree) throws Exception {
    try (var guard = CensusGuard.open();
        var planted = new Planted(tree.argv(guard.marker()))) {
      awaitReady(planted);

      guard.census().awaitLive(tree.lasting(), LIMIT);
      guard.census().endAll();
    }
  }

  private static void awaitReady(Planted planted) throws Exception {
    for (var line = planted.line(); !line.equals("ready"); line = planted.line()) {
      assertThat(line).matches("listening \\d+|chatter");
    }
  }
}
