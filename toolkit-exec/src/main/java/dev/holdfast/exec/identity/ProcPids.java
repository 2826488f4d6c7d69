package dev.holdfast.exec.identity;

import dev.holdfast.exec.libc.Directory;
import java.util.Arrays;

/** The numbers that {@code /proc} lists. */
final class ProcPids {
  private int[] pids = new int[512];
  private int count;

  private ProcPids() {}

  static int[] list() {
    var list = new ProcPids();
    Directory.forEachNumber("/proc", list::add);
    return Arrays.copyOf(list.pids, list.count);
  }

  private void add(int pid) {
    if (count == pids.length) {
      pids = Arrays.copyOf(pids, count * 2);
    }
    pids[count++] = pid;
  }
}
