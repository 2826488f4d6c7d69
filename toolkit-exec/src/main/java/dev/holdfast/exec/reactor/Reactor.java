package dev.holdfast.exec.reactor;

import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.EventFd;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.scope.HaltPoint;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits, on one platform daemon thread, for the ends of processes, for pipes, for times and for
 * requests of other threads. What it needs to end a process is allocated before that process
 * exists; a step that throws is made again.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/epoll.7.html">epoll(7)</a>
 */
public final class Reactor {
  private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
  private static final HaltPoint STEP = HaltPoint.named("reactor.step");

  private static final int MAX_EVENTS = 256;
  private static final long WAKE = -1;
  private static final long AGAIN_NANOS = 5_000_000;
  private static final int MAX_WAIT_MILLIS = 60_000;
  private static final int EINTR = 4;

  /** Linked before it is needed: a post can't be refused for want of memory. */
  @SuppressWarnings("UnnecessaryLambda") // in its place it would be linked by the first post
  private static final IntBinaryOperator OR = (a, b) -> a | b;

  /** See {@link #OR}. */
  @SuppressWarnings("UnnecessaryLambda") // see OR
  private static final IntBinaryOperator AND = (a, b) -> a & b;

  /** How many times in a row waiting may fail before the reactor gives up. */
  private static final int MAX_REFUSALS = 100;

  private static final class Holder {
    static final Reactor REACTOR = new Reactor();
  }

  private final Epoll epoll = Epoll.create();
  private final EventFd wake = EventFd.create();
  private final NativeBlock events = Epoll.events(MAX_EVENTS);
  private final NativeBlock scratch = NativeBlock.allocate(Epoll.SCRATCH_BYTES); // loop only
  private final EntryTable table = new EntryTable();
  private final Timers timers = new Timers(); // loop only
  private final AtomicReference<@Nullable Entry> inbox = new AtomicReference<>();
  private @Nullable Entry taken; // loop only: what of the inbox has not been stepped yet
  private final Thread thread;
  private volatile @Nullable Throwable death;
  private int refusals; // loop only
  private long errors; // loop only

  private Reactor() {
    epoll.add(wake.fd(), Epoll.IN, WAKE, scratch);
    thread = Thread.ofPlatform().daemon().name("holdfast-reactor").start(this::loop);
  }

  /**
   * The one reactor of this class loader, started by the first call.
   *
   * @return the reactor
   */
  public static Reactor get() {
    return Holder.REACTOR;
  }

  // ---- any thread

  /**
   * Makes room for an entry: all that the loop will need for it.
   *
   * @param entry not reserved yet
   * @throws IllegalStateException when the reactor has died
   */
  public void reserve(Entry entry) {
    Throwable cause = death;
    if (cause != null) {
      throw new IllegalStateException(
          "Holdfast's reactor thread has died and no process can be supervised; restart the JVM.",
          cause);
    }
    table.add(entry);
  }

  /**
   * Forgets an entry. Its descriptor must have been {@linkplain #unwatch unwatched}. The loop, or
   * the thread that reserved it while nobody else knows it.
   *
   * @param entry reserved, or released already
   */
  public void release(Entry entry) {
    table.remove(entry);
  }

  /**
   * Asks for a call of {@link Entry#advance}. Never blocks, allocates or is refused; an Error in
   * its middle means that it may not have been heard, and that it is to be called again.
   *
   * @param entry whom to ask
   * @param requests bits, without the sign bit
   */
  public void post(Entry entry, int requests) {
    int before = entry.bits.getAndAccumulate(requests | Entry.QUEUED, OR);
    if ((before & Entry.QUEUED) == 0) {
      Entry head;
      do {
        head = inbox.get();
        entry.nextPosted = head;
      } while (!inbox.compareAndSet(head, entry));
    }
    if (Thread.currentThread() != thread) {
      wake.signal();
    }
    if (death != null) {
      entry.reactorDied();
    }
  }

  /**
   * Watches a descriptor, which may be done once for an entry.
   *
   * @param fd the descriptor
   * @param interest events of {@code epoll_ctl(2)}
   * @param entry reserved
   * @param ctl scratch of {@link Epoll#SCRATCH_BYTES}, not used by others meanwhile
   * @return 0 or a negative errno
   */
  public int watch(int fd, int interest, Entry entry, NativeBlock ctl) {
    return epoll.add(fd, interest, table.token(entry), ctl);
  }

  /**
   * Changes the interest in a watched descriptor; looks at once whether it is ready.
   *
   * @param fd the descriptor
   * @param interest events of {@code epoll_ctl(2)}
   * @param entry whose it is
   * @param ctl scratch of {@link Epoll#SCRATCH_BYTES}, not used by others meanwhile
   * @return 0 or a negative errno
   */
  public int rewatch(int fd, int interest, Entry entry, NativeBlock ctl) {
    return epoll.modify(fd, interest, table.token(entry), ctl);
  }

  /**
   * Watches a descriptor no longer. To be called before it is closed: a vfork child may keep its
   * description alive, and with it the events.
   *
   * @param fd the descriptor
   */
  public void unwatch(int fd) {
    epoll.delete(fd);
  }

  /** Asks every entry to end for the JVM's shutdown. */
  public void shutDownAll() {
    table.forEach(Entry::shutDown);
  }

  /**
   * Posts to every vital entry.
   *
   * @param requests bits
   */
  public void postToVital(int requests) {
    table.forEach(
        entry -> {
          if (entry.isVital()) {
            post(entry, requests);
          }
        });
  }

  /**
   * Waits until no vital entry is left.
   *
   * @param nanos how long at most
   * @return false when the time is up
   * @throws InterruptedException when interrupted
   */
  public boolean awaitNoneVital(long nanos) throws InterruptedException {
    return table.awaitNoneVital(System.nanoTime() + nanos);
  }

  // ---- the loop

  /**
   * Scratch for {@link #watch} on the reactor's thread.
   *
   * @return the block
   */
  public NativeBlock scratch() {
    return scratch;
  }

  /**
   * Asks for a call of {@link Entry#advance} at a time; replaces what was asked before.
   *
   * @param entry whom to call
   * @param due in the terms of {@link System#nanoTime}, or {@link Entry#NEVER}
   */
  public void at(Entry entry, long due) {
    timers.set(entry, due);
  }

  /**
   * Whether some entry claims a process. Reactor's thread only.
   *
   * @param pid a child of this JVM
   * @return true when it is that entry's to reap
   */
  public boolean isClaimed(int pid) {
    return table.any(entry -> entry.claims(pid));
  }

  private void loop() {
    while (death == null) {
      try {
        turn();
      } catch (Throwable t) {
        survive(t);
      }
    }
    dieWith(death);
  }

  private void turn() {
    int ready = epoll.await(events, MAX_EVENTS, waitMillis());
    if (ready < 0 && ready != -EINTR && ++refusals > MAX_REFUSALS) {
      death = new IllegalStateException("epoll_wait was refused with errno " + -ready + ".");
      return;
    }
    if (ready >= 0) {
      refusals = 0;
    }
    for (int i = 0; i < ready; i++) {
      long token = Epoll.token(events, i);
      if (token == WAKE) {
        drainWake();
      } else {
        event(token, Epoll.event(events, i));
      }
    }
    stepPosted();
    long now = System.nanoTime();
    for (Entry e = timers.pollDue(now); !timers.isHead(e); e = timers.pollDue(now)) {
      step(e, e.bits.getAndAccumulate(Entry.QUEUED, AND) & ~Entry.QUEUED, true);
    }
  }

  /** Whatever is thrown out of it, no entry is lost: the next turn goes on with the rest. */
  private void stepPosted() {
    if (taken == null) {
      taken = inbox.getAndSet(null);
    }
    for (Entry e = taken; e != null; e = taken) {
      taken = e.nextPosted;
      e.nextPosted = null;
      step(e, e.bits.getAndSet(0) & ~Entry.QUEUED, false);
    }
  }

  /** An Error here must not cost the other events of the turn, which may not come again. */
  private void drainWake() {
    try {
      wake.drain();
    } catch (Throwable t) {
      note(t);
    }
  }

  private int waitMillis() {
    if (taken != null || inbox.get() != null) {
      return 0;
    }
    long nanos = timers.untilFirst(System.nanoTime());
    return nanos == Entry.NEVER
        ? -1
        : (int) Math.min(MAX_WAIT_MILLIS, (nanos + 999_999) / 1_000_000);
  }

  private void event(long token, int ready) {
    Entry entry = table.find(token);
    if (entry == null) {
      return;
    }
    try {
      entry.ready(ready);
    } catch (Throwable t) {
      at(entry, System.nanoTime() + AGAIN_NANOS);
      note(t);
    }
  }

  private void step(Entry entry, int requests, boolean isDue) {
    try {
      STEP.pass();
      entry.advance(requests, isDue);
    } catch (Throwable t) {
      if (requests != 0) {
        entry.bits.getAndAccumulate(requests, OR);
      }
      at(entry, System.nanoTime() + AGAIN_NANOS);
      note(t);
    }
  }

  private void survive(Throwable t) {
    try {
      note(t);
      Thread.sleep(1);
    } catch (Throwable again) {
      Thread.interrupted();
    }
  }

  /** Tells of the first errors only: they may come in thousands when memory is out. */
  private void note(Throwable t) {
    Thread.interrupted();
    if (errors++ < 10) {
      try {
        LOG.warn("A step of the reactor failed and is made again.", t);
      } catch (Throwable lost) {
        errors++;
      }
    }
  }

  private void dieWith(@Nullable Throwable cause) {
    LOG.error("The reactor can't go on; all process groups are killed.", cause);
    table.forEach(Entry::reactorDied);
  }
}
