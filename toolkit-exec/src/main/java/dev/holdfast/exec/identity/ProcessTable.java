package dev.holdfast.exec.identity;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One look over all processes that {@code /proc} shows. It is no snapshot: processes come and go
 * while it is taken, so one look that finds nothing proves nothing about a tree that still forks.
 * Immutable; about 6 us for each process.
 */
public final class ProcessTable {
  private final ProcStat[] byPid;
  private final ProcStat[] byParent;
  private final boolean hidden;

  private ProcessTable(ProcStat[] byPid, boolean hidden) {
    this.byPid = byPid;
    this.hidden = hidden;
    byParent = byPid.clone();
    Arrays.sort(byParent, (a, b) -> Integer.compare(a.ppid(), b.ppid()));
  }

  /**
   * Looks.
   *
   * @return the processes, zombies among them
   * @throws ErrnoException if {@code /proc} can't be read, {@code EMFILE} for example
   */
  public static ProcessTable look() {
    var pids = ProcPids.list();
    var stats = new ArrayList<ProcStat>(pids.length);
    var file = new ProcFile();
    var hidden = HiddenProc.isHidden();
    for (var pid : pids) {
      var n = file.read(pid, ProcStat.NAME, false);
      if (n >= 0) {
        var stat = ProcStat.parse(file.content(), n);
        if (stat != null) {
          stats.add(stat);
        }
      } else if (n == -Errno.EACCES || n == -Errno.EPERM) {
        hidden = true;
      } else if (n != -Errno.ENOENT && n != -Errno.ESRCH) {
        throw new ErrnoException("read of /proc/" + pid + "/stat", -n);
      }
    }
    return of(stats, hidden);
  }

  static ProcessTable of(List<ProcStat> stats, boolean hidden) {
    var byPid = stats.toArray(new ProcStat[0]);
    Arrays.sort(byPid, (a, b) -> Integer.compare(a.pid(), b.pid()));
    return new ProcessTable(byPid, hidden);
  }

  /**
   * Tells whether {@code /proc} keeps processes from us (mount option {@code hidepid}), so that
   * absence from this table means nothing.
   *
   * @return whether there may be more
   */
  public boolean hidden() {
    return hidden;
  }

  /**
   * All processes.
   *
   * @return in the order of their pids
   */
  public List<ProcStat> all() {
    return List.of(byPid);
  }

  /**
   * One process.
   *
   * @param pid the process
   * @return its state, or null if the look did not find it
   */
  public @Nullable ProcStat get(int pid) {
    var low = firstAtLeast(byPid, pid, false);
    return low < byPid.length && byPid[low].pid() == pid ? byPid[low] : null;
  }

  /**
   * The children of a process, not their children.
   *
   * @param pid the parent
   * @return its children
   */
  public List<ProcStat> children(int pid) {
    var from = firstAtLeast(byParent, pid, true);
    var to = from;
    while (to < byParent.length && byParent[to].ppid() == pid) {
      to++;
    }
    return Arrays.asList(byParent).subList(from, to);
  }

  /**
   * All below some processes by parent chain. Orphans of a double fork are not: their parent is
   * init or a subreaper.
   *
   * @param roots the processes to start from
   * @return their descendants, themselves not among them unless below another root
   */
  public List<ProcStat> descendants(Iterable<Integer> roots) {
    var found = new ArrayList<ProcStat>();
    var seen = new BitSet();
    for (var root : roots) {
      addChildren(root, seen, found);
    }
    for (var i = 0; i < found.size(); i++) {
      addChildren(found.get(i).pid(), seen, found);
    }
    return found;
  }

  /**
   * The members of groups, zombies among them.
   *
   * @param groups which groups
   * @return their members
   */
  public List<ProcStat> membersOfGroups(IntPredicate groups) {
    var members = new ArrayList<ProcStat>();
    for (var stat : byPid) {
      if (groups.test(stat.pgrp())) {
        members.add(stat);
      }
    }
    return members;
  }

  private void addChildren(int pid, BitSet seen, List<ProcStat> to) {
    for (var child : children(pid)) {
      if (!seen.get(child.pid())) {
        seen.set(child.pid());
        to.add(child);
      }
    }
  }

  private static int firstAtLeast(ProcStat[] sorted, int id, boolean byParent) {
    var low = 0;
    var high = sorted.length;
    while (low < high) {
      var middle = (low + high) >>> 1;
      if ((byParent ? sorted[middle].ppid() : sorted[middle].pid()) < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
