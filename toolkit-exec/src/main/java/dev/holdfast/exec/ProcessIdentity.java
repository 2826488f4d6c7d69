package dev.holdfast.exec;

import java.util.Objects;

/**
 * Which process it is, beyond its pid: numbers are reused, this combination is not. Two identities
 * are equal exactly if they mean the same process.
 *
 * @param bootId the kernel's {@code /proc/sys/kernel/random/boot_id}; see {@code random(4)}
 * @param pidNamespace the inode of the pid namespace in which {@code pid} counts; see {@code
 *     pid_namespaces(7)}
 * @param pid the process id, at least 1
 * @param startTicks when the process started, in clock ticks since boot: field 22 of {@code
 *     proc_pid_stat(5)}
 */
public record ProcessIdentity(String bootId, long pidNamespace, long pid, long startTicks) {
  /**
   * Makes an identity of its parts.
   *
   * @throws IllegalArgumentException if the boot id is blank, the pid below 1, or another number
   *     negative
   */
  public ProcessIdentity {
    Objects.requireNonNull(bootId, "bootId");
    if (bootId.isBlank() || pidNamespace < 0 || pid < 1 || startTicks < 0) {
      throw new IllegalArgumentException(
          "This names no process: " + line(bootId, pidNamespace, pid, startTicks) + ".");
    }
  }

  /** Returns the stable form {@code pid@startTicks:bootId:pidNamespace}, on one line. */
  @Override
  public String toString() {
    return line(bootId, pidNamespace, pid, startTicks);
  }

  private static String line(String bootId, long pidNamespace, long pid, long startTicks) {
    return pid + "@" + startTicks + ":" + bootId + ":" + pidNamespace;
  }
}
