package dev.holdfast.testkit;

/**
 * One process as {@code /proc/<pid>/stat} showed it at one moment (proc_pid_stat(5)).
 *
 * @param pid its process id, that of the thread group's leader
 * @param ppid its parent
 * @param pgid its process group
 * @param sid its session
 * @param state the leader's state letter: R, S, D, T, t, Z, X, I
 * @param threads the number of its threads; a zombie leader with others is alive
 * @param startTicks when it started, in clock ticks after boot
 * @param command its arguments joined by blanks, or its name in brackets where it has none
 */
public record ProcessEntry(
    long pid,
    long ppid,
    long pgid,
    long sid,
    char state,
    int threads,
    long startTicks,
    String command) {

  /**
   * Whether it has ended and only waits to be reaped.
   *
   * @return true for state Z or X with no thread left but the leader
   */
  public boolean isZombie() {
    return (state == 'Z' || state == 'X') && threads <= 1;
  }

  /**
   * Whether it can still do something.
   *
   * @return the opposite of {@link #isZombie()}
   */
  public boolean isLive() {
    return !isZombie();
  }

  /**
   * Whether a stop signal or a tracer holds it.
   *
   * @return true for state T or t
   */
  public boolean isStopped() {
    return state == 'T' || state == 't';
  }

  /** Returns one line for a failure message. */
  @Override
  public String toString() {
    return "pid %d ppid %d pgid %d sid %d state %c threads %d: %s"
        .formatted(pid, ppid, pgid, sid, state, threads, command);
  }
}
