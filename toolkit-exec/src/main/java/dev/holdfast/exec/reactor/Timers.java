package dev.holdfast.exec.reactor;

/**
 * The entries that have a due time, linked through themselves. A look at it costs as much as there
 * are such entries, which is what ending that many processes costs many times over. Reactor's
 * thread only.
 */
final class Timers {
  private final Entry ring = new Head();

  Timers() {
    ring.previousDue = ring;
    ring.nextDue = ring;
  }

  void set(Entry entry, long due) {
    Entry before = entry.previousDue;
    Entry after = entry.nextDue;
    if (before != null && after != null) {
      before.nextDue = after;
      after.previousDue = before;
      entry.previousDue = null;
      entry.nextDue = null;
    }
    entry.due = due;
    Entry last = ring.previousDue;
    if (due != Entry.NEVER && last != null) {
      entry.previousDue = last;
      entry.nextDue = ring;
      last.nextDue = entry;
      ring.previousDue = entry;
    }
  }

  /** Nanoseconds until the first is due; NEVER when there is none. */
  long untilFirst(long now) {
    long least = Entry.NEVER;
    for (Entry e = ring.nextDue; e != ring && e != null; e = e.nextDue) {
      least = Math.min(least, Math.max(0, e.due - now));
    }
    return least;
  }

  /** Takes out one that is due; the ring's own head when there is none. */
  Entry pollDue(long now) {
    for (Entry e = ring.nextDue; e != ring && e != null; e = e.nextDue) {
      if (e.due - now <= 0) {
        set(e, Entry.NEVER);
        return e;
      }
    }
    return ring;
  }

  boolean isHead(Entry entry) {
    return entry == ring;
  }

  private static final class Head extends Entry {
    @Override
    protected void advance(int requests, boolean isDue) {}
  }
}
