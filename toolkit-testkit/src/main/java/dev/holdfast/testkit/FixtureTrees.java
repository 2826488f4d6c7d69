package dev.holdfast.testkit;

import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Generators of {@link FixtureTree} for jqwik properties; they shrink towards a lone sleeper. */
public final class FixtureTrees {

  private FixtureTrees() {}

  /**
   * Trees of every kind of node.
   *
   * @param maxDepth how many levels there are at most, 1 is a lone root
   * @param maxChildren how many children a node has at most
   * @return the generator
   */
  public static Arbitrary<FixtureTree> trees(int maxDepth, int maxChildren) {
    var kinds = Arbitraries.of(FixtureTree.Kind.class);
    if (maxDepth <= 1) {
      return kinds.map(kind -> new FixtureTree(kind, List.of()));
    }
    var children = trees(maxDepth - 1, maxChildren).list().ofMaxSize(maxChildren);
    return kinds.flatMap(kind -> children.map(list -> new FixtureTree(kind, list)));
  }

  /**
   * One tree for each kind of node, with a child of the same kind, for tests that want them all.
   *
   * @return the trees, in the order of the kinds
   */
  public static List<FixtureTree> oneOfEachKind() {
    var kinds = FixtureTree.Kind.values();
    return IntStream.range(0, kinds.length)
        .mapToObj(i -> FixtureTree.of(kinds[i], FixtureTree.of(kinds[i])))
        .toList();
  }
}
