package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Orphans;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Waits;
import dev.holdfast.exec.reactor.Reactor;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that a child has become: who of it is alive, how they are signalled, when it is gone.
 *
 * <p>Gone is: the leader is reaped, and both groups answer ESRCH, or a look over {@code /proc}
 * finds no live member; with {@link SpawnPlan.Reach#TREE} two looks in a row must find none, as an
 * environment is empty for a moment during exec. Success of signal 0 proves nothing: zombies answer
 * too. Reactor's thread only.
 */
final class Tree {
  private static final Logger LOG = LoggerFactory.getLogger(Tree.class);
  private static final long FIRST_PAUSE_NANOS = 1_000_000;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;
  private static final long LONGEST_PAUSE_KILLING_NANOS = 20_000_000;
  private static final NativeBlock STATUS = NativeBlock.allocate(Waits.BLOCK_BYTES); // thrown away
  private static final int NO_SIGNAL = 0;

  /** How long a signal waits for the look that goes before it. */
  private static final long LOOK_FIRST_NANOS = 100_000_000;

  /** What the tree is known to be. */
  private enum State {
    /** Its leader has not been reaped. */
    LED,
    /** Its leader is reaped; others may live. */
    LEADERLESS,
    /** Nothing of it lives. */
    GONE
  }

  private final Groups groups;
  private final SpawnPlan.Reach reach;

  /** Whether the groups' numbers are not enough to know and to reach all members. */
  private final boolean byMember;

  private final String cookie;
  private final String label;
  private final Scan scan;
  private final MemberWatch memberWatch;
  private final boolean reaper = // so zombies are looked for all the time
      Orphans.comeToUs() && !Subreaper.hasBegun();

  private State state = State.LED;
  private boolean asked;
  private int emptyLooks;
  private int signal = NO_SIGNAL; // what members are still to get
  private boolean thenContinue;
  private boolean stopped; // somebody asked for an end: who stays out of reach is named
  private long pause = FIRST_PAUSE_NANOS;
  private long due = Long.MAX_VALUE;
  private long signalDue = Long.MAX_VALUE; // when the signal doesn't wait for a look any longer
  private List<ProcStat> members = List.of();
  private List<ProcStat> signalled = List.of(); // who has got the present signal

  Tree(SpawnPlan plan, String cookie, Runnable onScan, Runnable onMemberEnd) {
    this.groups = new Groups(plan.label());
    this.reach = plan.containment();
    this.byMember = reach == SpawnPlan.Reach.TREE || !Signals.hasGroupSignals();
    this.cookie = cookie;
    this.label = plan.label();
    this.scan = new Scan(onScan);
    this.memberWatch = new MemberWatch(onMemberEnd);
    if (reaper) {
      due = System.nanoTime() + LONGEST_PAUSE_NANOS;
    }
  }

  void reserve() {
    Reactor.get().reserve(memberWatch);
    Scanner.get();
  }

  Groups groups() {
    return groups;
  }

  boolean isGone() {
    return state == State.GONE;
  }

  /** When {@link #advance} is to be called at the latest. */
  long due() {
    return Math.min(due, signalDue);
  }

  List<ProcStat> members() {
    return members;
  }

  void leaderReaped(long now) {
    if (state == State.LED) {
      groups.leaderReaped();
      state = State.LEADERLESS;
      due = now;
    }
  }

  /**
   * Signals every member. A tree is looked at first: the end of a parent hides its descendants that
   * have left both groups and carry no cookie. And once more after it, for who was born meanwhile.
   */
  void signal(int number, boolean continues, long now) {
    stopped = true;
    signal = number;
    thenContinue = continues;
    signalled = List.of();
    if (byMember) {
      signalDue = now + LOOK_FIRST_NANOS;
      lookSoon(now);
    } else {
      signalGroups();
      signal = NO_SIGNAL;
    }
  }

  private void signalGroups() {
    groups.signal(signal);
    if (thenContinue) {
      groups.signal(Signals.CONT);
    }
  }

  void kill(long now) {
    signal(Signals.KILL, false, now);
  }

  private void lookSoon(long now) {
    pause = FIRST_PAUSE_NANOS;
    emptyLooks = 0;
    due = now;
  }

  /** Does what is due. */
  void advance(long now) {
    if (state == State.GONE) {
      return;
    }
    if (signalDue - now <= 0) {
      signalMembers();
    }
    if (due - now > 0) {
      return;
    }
    if (state == State.LEADERLESS
        && reach == SpawnPlan.Reach.GROUP
        && !stopped
        && groups.areEmpty()) {
      gone();
      return;
    }
    if (state == State.LED && signal == NO_SIGNAL && !reaper) {
      due = Long.MAX_VALUE;
      return;
    }
    if (!asked) {
      ask(); // before the time is forgotten: an Error here must not cost the look
    }
    due = Long.MAX_VALUE;
  }

  private void ask() {
    scan.group = groups.group();
    scan.leader = groups.leader();
    scan.ownGroup = groups.ownGroup();
    scan.ownLeaderGroup = groups.ownLeaderGroup();
    scan.leaderReaped = state != State.LED;
    scan.cookie = byMember || stopped ? cookie : null;
    scan.known = members;
    scan.finding = null;
    Scanner.get().ask(scan);
    asked = true;
  }

  /** A member that was watched has ended. */
  void memberEnded(long now) {
    due = now;
  }

  /** The finding is there. */
  void scanned(long now) {
    Scan.Finding finding = scan.finding;
    if (!asked || finding == null) {
      return;
    }
    if (mayNameStrangers(finding)) {
      asked = false;
      due = now;
      return;
    }
    reapZombies(finding.ownZombies());
    members =
        reach == SpawnPlan.Reach.TREE
            ? finding.live()
            : finding.live().stream().filter(this::isInAGroup).toList();
    if (byMember) {
      signalSeen(now);
    }
    asked = false;
    if (state == State.LEADERLESS) {
      due = now; // should the judgement fail, by another look
      judge(finding, now);
    } else if (reaper && signal == NO_SIGNAL) {
      due = now + LONGEST_PAUSE_NANOS;
    }
  }

  /**
   * A group that is empty by now may have been so at the time of the look, and its number a
   * stranger's, whose descendants would be taken for ours.
   */
  private boolean mayNameStrangers(Scan.Finding finding) {
    int group = groups.ownGroup();
    int leaderGroup = groups.ownLeaderGroup();
    for (ProcStat stat : finding.live()) {
      if (scan.isMember(stat) && stat.pgrp() != group && stat.pgrp() != leaderGroup) {
        return true;
      }
    }
    return false;
  }

  private boolean isInAGroup(ProcStat stat) {
    return stat.pgrp() == groups.group() || stat.pgrp() == groups.leader();
  }

  private void signalSeen(long now) {
    if (signal != NO_SIGNAL) {
      due = isSignalWaiting() ? now : due;
      signalMembers();
    }
  }

  private void judge(Scan.Finding finding, long now) {
    boolean none = members.isEmpty() && (!finding.hidden() || groups.areEmpty());
    emptyLooks = none ? emptyLooks + 1 : 0;
    if (emptyLooks >= (byMember ? 2 : 1)) {
      nameEscaped(finding);
      gone();
      return;
    }
    if (none) {
      due = now + FIRST_PAUSE_NANOS;
      return;
    }
    if (!members.isEmpty() && !memberWatch.isWatching()) {
      memberWatch.watch(members.getFirst());
    }
    due = now + pause;
    pause =
        Math.min(
            signal == Signals.KILL ? LONGEST_PAUSE_KILLING_NANOS : LONGEST_PAUSE_NANOS, pause * 2);
  }

  private void gone() {
    memberWatch.close();
    if (groups.ownGroup() > 0) {
      Waits.reapGroupZombies(groups.ownGroup());
    }
    state = State.GONE;
    due = Long.MAX_VALUE;
    signalDue = Long.MAX_VALUE;
  }

  /** What GROUP can't reach, it names. */
  private void nameEscaped(Scan.Finding finding) {
    if (reach == SpawnPlan.Reach.GROUP && !finding.live().isEmpty()) {
      LOG.warn(
          "Processes that '{}' started have left its process group and live on: {}. Containment"
              + " TREE would have ended them.",
          label,
          describe(finding.live()));
    }
  }

  static String describe(List<ProcStat> processes) {
    return processes.stream().map(Survivor::describe).collect(Collectors.joining(", "));
  }

  /** KILL is repeated by every look; another signal reaches nobody twice. */
  private void signalMembers() {
    boolean waiting = isSignalWaiting();
    int group = groups.ownGroup();
    int leaderGroup = groups.ownLeaderGroup();
    if (waiting || signal == Signals.KILL) {
      signalGroups();
      signalDue = Long.MAX_VALUE;
    }
    for (ProcStat member : members) {
      boolean reached = member.pgrp() == group || member.pgrp() == leaderGroup;
      if (!reached && (signal == Signals.KILL || !hasSignal(member))) {
        signalMember(member);
      }
    }
    signalled = members;
    if (!waiting && signal != Signals.KILL) {
      signal = NO_SIGNAL;
    }
  }

  private boolean isSignalWaiting() {
    return signalDue != Long.MAX_VALUE;
  }

  private boolean hasSignal(ProcStat member) {
    for (ProcStat other : signalled) {
      if (other.pid() == member.pid() && other.startTicks() == member.startTicks()) {
        return true;
      }
    }
    return false;
  }

  private void signalMember(ProcStat member) {
    int fd = MemberWatch.openVerified(member);
    if (fd < 0) {
      return;
    }
    try {
      Signals.pidfdSignal(fd, signal);
      if (thenContinue) {
        Signals.pidfdSignal(fd, Signals.CONT);
      }
    } finally {
      Fds.close(fd);
    }
  }

  /**
   * Orphans of a child whose reaper this JVM is: as PID 1, or as a child subreaper. One that was
   * reaped since the look may have left its number to a new child of ours, and another child may
   * have gone over to this group.
   */
  private void reapZombies(List<ProcStat> zombies) {
    for (ProcStat zombie : zombies) {
      ProcStat now = ProcStat.read(zombie.pid());
      boolean same = now != null && now.startTicks() == zombie.startTicks();
      if (same && !Reactor.get().isClaimed(zombie.pid())) {
        Waits.reap(zombie.pid(), STATUS);
      }
    }
  }

  void close() {
    memberWatch.close();
    Reactor.get().release(memberWatch);
    groups.close();
  }
}
