package dev.holdfast.exec.libc;

import java.util.NavigableSet;
import java.util.TreeSet;

/** The descriptors of this JVM. */
public final class OpenFds {
  private OpenFds() {}

  /** The numbers that are open now, the one that this look opens left out. */
  public static NavigableSet<Integer> list() {
    var open = new TreeSet<Integer>();
    Directory.forEachNumber("/proc/self/fd", open::add);
    open.removeIf(fd -> !Fds.isOpen(fd));
    return open;
  }
}
