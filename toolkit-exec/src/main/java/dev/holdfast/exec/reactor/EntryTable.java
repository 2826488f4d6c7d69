package dev.holdfast.exec.reactor;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Entries by number. A number carries a generation, so an event that comes after its entry was
 * released finds nobody. Room is made by {@link #add}, so {@link #remove} can't fail.
 */
final class EntryTable {
  private static final int FIRST_CAPACITY = 64;

  private @Nullable Entry[] entries = new Entry[FIRST_CAPACITY]; // guarded by this
  private int[] generations = new int[FIRST_CAPACITY]; // guarded by this
  private int[] free = new int[FIRST_CAPACITY]; // guarded by this
  private int freeCount; // guarded by this
  private int used; // guarded by this
  private int vital; // guarded by this

  synchronized void add(Entry entry) {
    if (freeCount == 0 && used == entries.length) {
      int length = used * 2;
      Entry[] moreEntries = Arrays.copyOf(entries, length);
      int[] moreGenerations = Arrays.copyOf(generations, length);
      free = new int[length];
      entries = moreEntries;
      generations = moreGenerations;
    }
    int index = freeCount > 0 ? free[--freeCount] : used++;
    entries[index] = entry;
    entry.index = index;
    vital += entry.isVital() ? 1 : 0;
  }

  synchronized void remove(Entry entry) {
    int index = entry.index;
    if (index < 0) {
      return;
    }
    entry.index = -1;
    entries[index] = null;
    generations[index]++;
    free[freeCount++] = index;
    vital -= entry.isVital() ? 1 : 0;
    notifyAll();
  }

  synchronized long token(Entry entry) {
    int index = entry.index;
    return ((long) (generations[index] & Integer.MAX_VALUE) << 32) | index;
  }

  /** Null when that entry is gone. */
  synchronized @Nullable Entry find(long token) {
    int index = (int) token;
    boolean current = (generations[index] & Integer.MAX_VALUE) == (int) (token >>> 32);
    return current ? entries[index] : null;
  }

  /** Calls the action for every entry, outside of the lock. */
  void forEach(Consumer<Entry> action) {
    any(
        entry -> {
          action.accept(entry);
          return false;
        });
  }

  /** Asks the entries until one of them says yes, outside of the lock. */
  boolean any(Predicate<Entry> question) {
    int size;
    synchronized (this) {
      size = used;
    }
    for (int i = 0; i < size; i++) {
      Entry entry;
      synchronized (this) {
        entry = entries[i];
      }
      if (entry != null && question.test(entry)) {
        return true;
      }
    }
    return false;
  }

  /** True when no vital entry is left, false when the time is up. */
  synchronized boolean awaitNoneVital(long deadlineNanos) throws InterruptedException {
    while (vital > 0) {
      long left = deadlineNanos - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(left / 1_000_000 + 1);
    }
    return true;
  }
}
