package dev.holdfast.testkit;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A tree of badly behaved processes as a value, for generators: the root is the fixture child that
 * {@link #argv} starts, and prints the line "ready" when the whole tree stands.
 *
 * <p>Nobody in it ends before ten minutes but an {@link Kind#EXITER}. Below the root only a {@link
 * Kind#PIPE_HOLDER} and a {@link Kind#WRITER} keep stdout and stderr.
 *
 * @param kind how the root behaves
 * @param children what it starts before it says that it is up
 */
public record FixtureTree(Kind kind, List<FixtureTree> children) {

  /** How one process of a tree behaves. */
  public enum Kind {
    /** Sleeps. */
    SLEEPER,
    /** Ignores TERM, INT and HUP. */
    TERM_IGNORER,
    /** Stops itself by SIGSTOP. */
    STOPPED,
    /** Listens on a loopback port and has printed "listening PORT". */
    LISTENER,
    /** Keeps stdout and stderr open. */
    PIPE_HOLDER,
    /** Has its children behind a second process, whose parent has ended. */
    DOUBLE_FORKER,
    /** In a session of its own. */
    SETSID,
    /** Exits with 3 as soon as its children stand. */
    EXITER,
    /** Writes a line to stdout each 20 ms, whether someone reads or not. */
    WRITER,
    /** Becomes {@code sh -c 'sleep 600; :'}, two processes. */
    SHELL
  }

  /** Checks for null and copies the list. */
  public FixtureTree {
    Objects.requireNonNull(kind, "kind");
    children = List.copyOf(children);
  }

  /**
   * A tree.
   *
   * @param kind how the root behaves
   * @param children what it starts
   * @return the tree
   */
  public static FixtureTree of(Kind kind, FixtureTree... children) {
    return new FixtureTree(kind, List.of(children));
  }

  /**
   * The arguments that start the tree's root.
   *
   * @param marker the marker of all its processes
   * @return program and arguments
   */
  public List<String> argv(Marker marker) {
    var words = new ArrayList<>(List.of("ignore", "PIPE"));
    addBehaviour(words, List.of("say", "ready"));
    return Fixture.command(marker, words);
  }

  /**
   * The processes of the whole tree, ended ones included.
   *
   * @return their number, 1 at least
   */
  public int size() {
    return own() + children.stream().mapToInt(FixtureTree::size).sum();
  }

  /**
   * The processes that live on once the tree stands.
   *
   * @return their number, which is 0 for a lone {@link Kind#EXITER}
   */
  public int lasting() {
    int self = kind == Kind.EXITER ? 0 : own();
    return self + children.stream().mapToInt(FixtureTree::lasting).sum();
  }

  /**
   * The kinds that occur in it.
   *
   * @return a set of one kind at least
   */
  public Set<Kind> kinds() {
    var kinds = EnumSet.of(kind);
    children.forEach(child -> kinds.addAll(child.kinds()));
    return kinds;
  }

  /** Returns a short form such as {@code SLEEPER[STOPPED, SETSID[EXITER]]}. */
  @Override
  public String toString() {
    return children.isEmpty() ? kind.name() : kind + children.toString();
  }

  private int own() {
    return kind == Kind.DOUBLE_FORKER || kind == Kind.SHELL ? 2 : 1;
  }

  private void addBehaviour(List<String> words, List<String> whenUp) {
    switch (kind) {
      case TERM_IGNORER ->
          words.addAll(List.of("ignore", "TERM", "ignore", "INT", "ignore", "HUP"));
      case LISTENER -> words.addAll(List.of("listen", "0"));
      case SETSID -> words.add("setsid");
      default -> {}
    }
    addChildren(words);
    words.addAll(whenUp);
    words.addAll(
        switch (kind) {
          case EXITER -> List.of("exit", "3");
          case STOPPED -> List.of("stop", "forever");
          case WRITER -> List.of("chatter", "0.02");
          case SHELL -> List.of("exec", "/bin/sh", "-c", "sleep 600; :");
          default -> List.of("forever");
        });
  }

  private void addChildren(List<String> words) {
    if (kind == Kind.DOUBLE_FORKER) {
      words.addAll(List.of("doublestart", "["));
      children.forEach(child -> child.addStart(words));
      words.addAll(List.of("release", "up", "forever", "]"));
    } else {
      children.forEach(child -> child.addStart(words));
    }
  }

  private void addStart(List<String> words) {
    words.addAll(List.of("start", "["));
    for (String signal : List.of("TERM", "INT", "HUP")) { // a child inherits what is ignored
      words.addAll(List.of("default", signal));
    }
    boolean keepsOutput = kind == Kind.PIPE_HOLDER || kind == Kind.WRITER;
    addBehaviour(words, keepsOutput ? List.of("up") : List.of("release", "up"));
    words.add("]");
  }
}
