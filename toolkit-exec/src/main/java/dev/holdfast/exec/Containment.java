package dev.holdfast.exec;

/**
 * How far the word "tree" reaches when a child is ended: which processes belong to it.
 *
 * <p>The constants stand in the order of their reach, the narrowest first. Default: {@link #TREE}
 * for a spawned child, {@link #GROUP} for {@code run}.
 */
public enum Containment {
  /**
   * The members of the child's process group, and of the group that the leader may have made for
   * itself ({@code timeout(1)} and {@code setsid(1)} do). A descendant that moves into another
   * group is not found. Costs no look at the process table. See {@code setpgid(2)}.
   */
  GROUP,

  /**
   * The groups of {@link #GROUP}, all descendants by their chain of parents, and every process
   * whose environment carries the scope's cookie, wherever it moved; the process table is looked
   * through until two passes find none. PostgreSQL, for one, gives each of its workers a session of
   * its own. A process that both lost its parents and wiped its environment is not found.
   */
  TREE
}
