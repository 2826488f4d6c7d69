package dev.holdfast.exec.spawn;

import java.util.EnumSet;
import java.util.Set;

/** What keeps a child from outliving this JVM. A test takes one out to see that it is needed. */
enum Cover {
  /** The group is armed before the process exists. */
  PLACEHOLDER,
  /** A second read end is armed for the leader's pid as a group. */
  LEADER_READ_END,
  /** This JVM keeps the first read end, for a child that closes its own. */
  KEPT_READ_END;

  private static volatile Set<Cover> out = Set.of();

  boolean isOut() {
    return out.contains(this);
  }

  /** For tests alone. */
  static void takeOut(Cover... covers) {
    var set = EnumSet.noneOf(Cover.class);
    set.addAll(Set.of(covers));
    out = set;
  }
}
