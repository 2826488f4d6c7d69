package dev.holdfast.exec.identity;

import dev.holdfast.exec.libc.Directory;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import java.util.ArrayList;
import java.util.List;

/**
 * This JVM's own children, zombies among them, without a look over all processes: the kernel lists
 * them by the thread that they belong to (proc_tid_children(5)).
 */
public final class OwnChildren {
  private static final String TASKS = "/proc/self/task";

  private OwnChildren() {}

  /**
   * Tells whether this kernel lists them (CONFIG_PROC_CHILDREN).
   *
   * @return whether {@link #pids} works
   */
  public static boolean areListed() {
    try {
      ProcFile.line("/proc/thread-self/children");
      return true;
    } catch (ErrnoException e) {
      return false;
    }
  }

  /**
   * Lists them. A child that comes or goes meanwhile may be missed, and others with it; the next
   * call finds them.
   *
   * @return their pids
   * @throws ErrnoException if the list can't be read, {@code EMFILE} for example
   */
  public static List<Integer> pids() {
    var pids = new ArrayList<Integer>();
    Directory.forEachNumber(TASKS, thread -> addChildrenOf(thread, pids));
    return pids;
  }

  private static void addChildrenOf(int thread, List<Integer> pids) {
    try {
      for (var pid : ProcFile.line(TASKS + "/" + thread + "/children").split(" ", -1)) {
        if (!pid.isEmpty()) {
          pids.add(Integer.valueOf(pid));
        }
      }
    } catch (ErrnoException e) {
      if (e.errno() != Errno.ENOENT && e.errno() != Errno.ESRCH) {
        throw e;
      }
      // The thread has ended; the kernel has given its children to another.
    }
  }
}
