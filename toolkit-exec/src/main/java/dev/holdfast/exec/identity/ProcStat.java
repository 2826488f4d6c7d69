package dev.holdfast.exec.identity;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@code /proc/<pid>/stat} that we use (proc_pid_stat(5)).
 *
 * @param pid the process
 * @param state its leader thread's state, {@code Z} for a zombie
 * @param ppid its parent
 * @param pgrp its process group
 * @param session its session
 * @param numThreads how many threads it has, the leader counted even when that has ended
 * @param startTicks when it started, in clock ticks since boot
 */
public record ProcStat(
    int pid, char state, int ppid, int pgrp, int session, int numThreads, long startTicks) {
  static final byte[] NAME = "/stat".getBytes(StandardCharsets.US_ASCII);

  private static final int FIELDS_FROM_SESSION_TO_THREADS = 13;

  /**
   * Parses a line. The command name is in parentheses and may hold any byte, parentheses among
   * them, so fields count from the last closing one.
   *
   * @param line the bytes
   * @param length how many of them
   * @return what it says, or null if it is torn
   */
  public static @Nullable ProcStat parse(byte[] line, int length) {
    var close = length - 1;
    while (close >= 0 && line[close] != ')') {
      close--;
    }
    if (close < 0 || close + 2 >= length) {
      return null;
    }
    var fields = new Fields(line, length, 0);
    var pid = (int) fields.number();
    var state = (char) line[close + 2];
    fields.at = close + 3;
    var ppid = (int) fields.number();
    var pgrp = (int) fields.number();
    var session = (int) fields.number();
    fields.skip(FIELDS_FROM_SESSION_TO_THREADS);
    var threads = (int) fields.number();
    fields.skip(1);
    var start = fields.number();
    return fields.torn ? null : new ProcStat(pid, state, ppid, pgrp, session, threads, start);
  }

  /**
   * Reads the state of one process.
   *
   * @param pid the process; the id of a thread answers too
   * @return its state, or null if there is no such process
   * @throws ErrnoException if it can't be told, {@code EMFILE} for example
   */
  public static @Nullable ProcStat read(int pid) {
    var file = new ProcFile();
    var n = file.read(pid, NAME, false);
    if (n == -Errno.ENOENT || n == -Errno.ESRCH) {
      return null;
    }
    if (n < 0) {
      throw new ErrnoException("read of /proc/" + pid + "/stat", -n);
    }
    return parse(file.content(), n);
  }

  /**
   * Tells whether the process is dead: a zombie, or about to vanish, without a thread that lives
   * on. A leader that called {@code pthread_exit} is {@code Z} too while others run.
   *
   * @return whether nothing of it runs any more
   */
  public boolean isDead() {
    return (state == 'Z' || state == 'X' || state == 'x') && numThreads <= 1;
  }

  /** A cursor over numbers that are set apart by blanks. */
  private static final class Fields {
    private final byte[] line;
    private final int length;
    private int at;
    private boolean torn;

    Fields(byte[] line, int length, int at) {
      this.line = line;
      this.length = length;
      this.at = at;
    }

    long number() {
      while (at < length && line[at] == ' ') {
        at++;
      }
      var negative = at < length && line[at] == '-';
      if (negative) {
        at++;
      }
      var value = 0L;
      var start = at;
      while (at < length && line[at] >= '0' && line[at] <= '9') {
        value = value * 10 + line[at++] - '0';
      }
      torn |= at == start;
      return negative ? -value : value;
    }

    void skip(int fields) {
      for (var i = 0; i < fields; i++) {
        number();
      }
    }
  }
}
