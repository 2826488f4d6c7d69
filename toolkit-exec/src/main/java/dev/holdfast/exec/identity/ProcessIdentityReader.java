package dev.holdfast.exec.identity;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.FileStatus;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** The parts that tell a process apart from every other, of this boot or another. */
public final class ProcessIdentityReader {
  private static final byte[] STATUS = "/status".getBytes(StandardCharsets.US_ASCII);
  private static final Pattern TGID = Pattern.compile("^Tgid:\\s*(\\d+)$", Pattern.MULTILINE);
  private static final Pattern INODE = Pattern.compile("pid:\\[(\\d+)]");

  private ProcessIdentityReader() {}

  /** Read once: neither changes in the life of this JVM. */
  private static final class Once {
    static final String BOOT_ID = ProcFile.line("/proc/sys/kernel/random/boot_id");
    static final long PID_NAMESPACE = readPidNamespace();

    private static long readPidNamespace() {
      var path = "/proc/self/ns/pid".getBytes(StandardCharsets.US_ASCII);
      var text = new String(FileStatus.link(path), StandardCharsets.US_ASCII);
      var matcher = INODE.matcher(text);
      if (!matcher.matches()) {
        throw new IllegalStateException(
            "The link /proc/self/ns/pid reads \"" + text + "\", which names no namespace.");
      }
      return Long.parseLong(matcher.group(1));
    }
  }

  /**
   * The id of this boot.
   *
   * @return the text of {@code /proc/sys/kernel/random/boot_id}
   */
  public static String bootId() {
    return Once.BOOT_ID;
  }

  /**
   * The pid namespace in which our pids count.
   *
   * @return its inode
   */
  public static long pidNamespace() {
    return Once.PID_NAMESPACE;
  }

  /**
   * When a process started.
   *
   * @param pid the process
   * @return clock ticks since boot, or -1 if there is no such process
   * @throws ErrnoException if it can't be told
   */
  public static long startTicks(int pid) {
    var stat = ProcStat.read(pid);
    return stat == null ? -1 : stat.startTicks();
  }

  /**
   * Tells whether a number from outside is a process and not one of its threads, which {@code
   * /proc} answers for too.
   *
   * @param id the number
   * @return whether it is the id of a process
   * @throws ErrnoException if it can't be told
   */
  public static boolean isProcess(int id) {
    var file = new ProcFile();
    var n = file.read(id, STATUS, true);
    if (n == -Errno.ENOENT || n == -Errno.ESRCH) {
      return false;
    }
    if (n < 0) {
      throw new ErrnoException("read of /proc/" + id + "/status", -n);
    }
    var matcher = TGID.matcher(new String(file.content(), 0, n, StandardCharsets.ISO_8859_1));
    return matcher.find() && Integer.parseInt(matcher.group(1)) == id;
  }
}
