package dev.holdfast.exec.reactor;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Something that the reactor looks after. An entry is its own node in the inbox, in the ring of
 * timers and in the table, so nothing needs to be allocated to reach it, and a request can't be
 * lost: requests are bits.
 */
public abstract class Entry {
  static final int QUEUED = 1 << 31;

  /** No time. */
  public static final long NEVER = Long.MAX_VALUE;

  final AtomicInteger bits = new AtomicInteger(); // any thread
  @Nullable Entry nextPosted; // between the poster and the loop, by the inbox

  long due = NEVER; // reactor's thread only
  @Nullable Entry previousDue; // reactor's thread only
  @Nullable Entry nextDue; // reactor's thread only

  int index = -1; // guarded by the reactor's table

  /** An entry that is not yet reserved. */
  protected Entry() {}

  /**
   * Does what is to be done. Reactor's thread only. A call that throws is made again some
   * milliseconds later, with the same bits.
   *
   * @param requests the bits that were posted since the last call
   * @param isDue whether the time asked for with {@link Reactor#at} has come
   */
  protected abstract void advance(int requests, boolean isDue);

  /**
   * The watched descriptor is ready. Reactor's thread only. A call that throws is followed by
   * {@link #advance} with {@code isDue}.
   *
   * @param events of {@code epoll_ctl(2)}
   */
  protected void ready(int events) {}

  /** The reactor can't go on: end what must be ended, fail who waits. Reactor's thread. */
  protected void reactorDied() {}

  /** The JVM shuts down. Any thread; must not block. */
  protected void shutDown() {}

  /**
   * Whether a process is this entry's to wait for. Reactor's thread only.
   *
   * @param pid a child of this JVM
   * @return true when nobody else may reap it
   */
  protected boolean claims(int pid) {
    return false;
  }

  /**
   * Whether the JVM's shutdown waits for this entry.
   *
   * @return true for what owns a process
   */
  protected boolean isVital() {
    return false;
  }
}
