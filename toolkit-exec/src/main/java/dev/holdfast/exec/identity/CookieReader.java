package dev.holdfast.exec.identity;

import dev.holdfast.exec.libc.Errno;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Looks for the cookie in the environment that a process was started with. The variable {@code
 * HOLDFAST_ID} holds a chain of ids, {@code outer/inner}. One thread at a time.
 *
 * <p>The read races with exec: for a moment the environment is empty, or still the parent's. So
 * {@link Answer#NO} in one pass proves nothing about a process that was just born.
 */
public final class CookieReader {
  /** The name of the variable. */
  public static final String VARIABLE = "HOLDFAST_ID";

  private static final byte[] NAME = "/environ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ASSIGNMENT = (VARIABLE + "=").getBytes(StandardCharsets.US_ASCII);

  private final ProcFile file = new ProcFile();

  /** Makes a reader with a buffer of its own. */
  public CookieReader() {}

  /** What a look found. */
  public enum Answer {
    /** The id is there. */
    YES,
    /** There is an environment, and the id is not in it. */
    NO,
    /** The environment is empty or can't be read: also for kernel threads and zombies. */
    UNDECIDED,
    /** There is no such process. */
    GONE
  }

  /**
   * Tells whether a process carries an id.
   *
   * @param pid the process
   * @param id one component of the chain, whole
   * @return what was found
   */
  public Answer carries(int pid, String id) {
    return carries(pid, id::equals);
  }

  /**
   * Tells whether a process carries one of several ids.
   *
   * @param pid the process
   * @param ids accepts a component of the chain that is wanted
   * @return what was found
   */
  public Answer carries(int pid, Predicate<String> ids) {
    var n = file.read(pid, NAME, true);
    if (n == -Errno.ENOENT || n == -Errno.ESRCH) {
      return Answer.GONE;
    }
    if (n <= 0) {
      return Answer.UNDECIDED;
    }
    return anyComponent(file.content(), n, ids) ? Answer.YES : Answer.NO;
  }

  static boolean anyComponent(byte[] environ, int length, Predicate<String> ids) {
    var start = 0;
    while (start < length) {
      var end = start;
      while (end < length && environ[end] != 0) {
        end++;
      }
      if (isAssignment(environ, start, end)) {
        var at = start + ASSIGNMENT.length;
        var chain = new String(environ, at, end - at, StandardCharsets.UTF_8);
        if (Stream.of(chain.split("/", -1)).anyMatch(ids)) {
          return true;
        }
      }
      start = end + 1;
    }
    return false;
  }

  private static boolean isAssignment(byte[] environ, int start, int end) {
    if (end - start < ASSIGNMENT.length) {
      return false;
    }
    for (var i = 0; i < ASSIGNMENT.length; i++) {
      if (environ[start + i] != ASSIGNMENT[i]) {
        return false;
      }
    }
    return true;
  }
}
