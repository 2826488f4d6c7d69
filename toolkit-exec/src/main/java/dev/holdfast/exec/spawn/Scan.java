package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.ProcStat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One child's question to the scanner: who of your tree lives? Asked again and again by the
 * reactor, one question at a time; fields go over by the scanner's lock and come back by the
 * reactor's inbox.
 */
final class Scan {
  /** What a look has found. */
  record Finding(List<ProcStat> live, List<ProcStat> ownZombies, boolean hidden) {}

  /** Who is told when the finding is there. */
  final Runnable asker;

  @Nullable Scan next; // scanner's lock

  int group;
  int leader;
  int ownGroup; // 0: nobody of that number is ours
  int ownLeaderGroup; // 0: nobody of that number is ours
  boolean leaderReaped;
  @Nullable String cookie;
  List<ProcStat> known = List.of();

  /** Null while it is looked for. */
  volatile @Nullable Finding finding;

  Scan(Runnable asker) {
    this.asker = asker;
  }

  boolean isMember(ProcStat stat) {
    return hasGroup(stat.pgrp());
  }

  boolean hasGroup(int pgrp) {
    return pgrp > 0 && (pgrp == ownGroup || pgrp == ownLeaderGroup);
  }
}
