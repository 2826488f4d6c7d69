package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two groups of a child: the one in which it was spawned, and the one that its leader may have
 * made with its own pid as the number ({@code setsid}, {@code timeout}, job-control shells).
 *
 * <p>Where the kernel can (6.9), a group is signalled through a pidfd of the process whose number
 * it has: that works on one that is dead and reaped, and answers ESRCH when the number is used
 * again. Elsewhere the number is pinned by the unreaped placeholder, or by the unreaped leader.
 * Reactor's thread only.
 */
final class Groups {
  private static final Logger LOG = LoggerFactory.getLogger(Groups.class);
  private static final int ESRCH = 3;

  private final boolean byPidfd = Signals.hasGroupSignals();
  private final String label;
  private int group;
  private int groupPidfd = -1;
  private int leader;
  private int leaderPidfd = -1;
  private boolean groupPinned;
  private boolean leaderReaped;

  Groups(String label) {
    this.label = label;
  }

  /** The child is there. pidfds are -1 where there is none. */
  void adopt(int group, int groupPidfd, int leader, int leaderPidfd, boolean groupPinned) {
    this.group = group;
    this.groupPidfd = groupPidfd;
    this.leader = leader;
    this.leaderPidfd = leaderPidfd;
    this.groupPinned = groupPinned;
  }

  boolean isAdopted() {
    return leader != 0;
  }

  void leaderReaped() {
    leaderReaped = true;
  }

  int group() {
    return group;
  }

  int leader() {
    return leader;
  }

  /**
   * The number of the group in which the child was spawned, as long as it surely names that group;
   * 0 when the group has no member and the number may be a stranger's.
   */
  int ownGroup() {
    if (byPidfd && groupPidfd >= 0) {
      return isEmpty(groupPidfd) ? 0 : group;
    }
    return groupPinned || (group == leader && !leaderReaped) ? group : 0;
  }

  /** The same for the group that the leader may have made. */
  int ownLeaderGroup() {
    if (byPidfd && leaderPidfd >= 0) {
      return isEmpty(leaderPidfd) ? 0 : leader;
    }
    return leaderReaped ? 0 : leader;
  }

  private static boolean isEmpty(int pidfd) {
    return Signals.pidfdSignalGroup(pidfd, Signals.PROBE) == -ESRCH;
  }

  /** Signals all who can be reached this way; refusals are told and don't stop anything. */
  void signal(int signal) {
    boolean reached = report(signal, signalGroup(signal));
    if (leader != group) {
      reached |= report(signal, signalLeaderGroup(signal));
    }
    if (!leaderReaped && leaderPidfd >= 0 && (!reached || isElsewhere())) {
      report(signal, Signals.pidfdSignal(leaderPidfd, signal));
    }
  }

  private int signalGroup(int signal) {
    if (byPidfd && groupPidfd >= 0) {
      return Signals.pidfdSignalGroup(groupPidfd, signal);
    }
    return groupPinned || (group == leader && !leaderReaped)
        ? Signals.killGroup(group, signal)
        : -ESRCH;
  }

  private int signalLeaderGroup(int signal) {
    if (byPidfd && leaderPidfd >= 0) {
      return Signals.pidfdSignalGroup(leaderPidfd, signal);
    }
    return leaderReaped ? -ESRCH : Signals.killGroup(leader, signal);
  }

  /** Whether the leader has gone over to a group that is neither. */
  private boolean isElsewhere() {
    int now = Signals.groupOf(leader);
    return now > 0 && now != group && now != leader;
  }

  private boolean report(int signal, int rc) {
    if (rc < 0 && rc != -ESRCH) {
      LOG.warn("Signal {} to '{}' was refused with errno {}.", signal, label, -rc);
    }
    return rc == 0;
  }

  /** True is sure; false may mean that only zombies are left. */
  boolean areEmpty() {
    return byPidfd
        && groupPidfd >= 0
        && leaderPidfd >= 0
        && isEmpty(groupPidfd)
        && isEmpty(leaderPidfd);
  }

  void close() {
    int ofGroup = groupPidfd;
    int ofLeader = leaderPidfd;
    groupPidfd = -1;
    leaderPidfd = -1;
    if (ofGroup >= 0 && ofGroup != ofLeader) {
      Fds.close(ofGroup);
    }
    if (ofLeader >= 0) {
      Fds.close(ofLeader);
    }
  }
}
