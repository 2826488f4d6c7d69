package dev.holdfast.exec.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TimersTest {
  private static final int ENTRIES = 8;

  private static Entry entry() {
    return new Entry() {
      @Override
      protected void advance(int requests, boolean isDue) {}
    };
  }

  private static List<Entry> pollAll(Timers timers, long now) {
    List<Entry> due = new ArrayList<>();
    for (Entry e = timers.pollDue(now); !timers.isHead(e); e = timers.pollDue(now)) {
      due.add(e);
    }
    return due;
  }

  /** Times around the overflow of the clock, as its origin is arbitrary. */
  @Property(tries = 500)
  void due_areThoseWhoseTimeHasCome(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 999) Integer> steps,
      @ForAll @IntRange(min = 0, max = 2) int era) {
    long now = new long[] {0, Long.MAX_VALUE - 60, -50}[era];
    Timers timers = new Timers();
    Entry[] entries = new Entry[ENTRIES];
    Arrays.setAll(entries, i -> entry());
    long[] due = new long[ENTRIES];
    Arrays.fill(due, Entry.NEVER);
    for (int step : steps) {
      int i = step % ENTRIES;
      long ahead = step / ENTRIES % 40;
      if (step % 5 == 0) {
        due[i] = Entry.NEVER;
        timers.set(entries[i], Entry.NEVER);
      } else if (now + ahead != Entry.NEVER) {
        due[i] = now + ahead;
        timers.set(entries[i], due[i]);
      }
      if (step % 7 == 0) {
        now += step % 11;
        List<Entry> expected = new ArrayList<>();
        for (int k = 0; k < ENTRIES; k++) {
          if (due[k] != Entry.NEVER && due[k] - now <= 0) {
            expected.add(entries[k]);
            due[k] = Entry.NEVER;
          }
        }
        assertThat(pollAll(timers, now)).containsExactlyInAnyOrderElementsOf(expected);
      }
      long least = Entry.NEVER;
      for (long time : due) {
        least = time == Entry.NEVER ? least : Math.min(least, Math.max(0, time - now));
      }
      assertThat(timers.untilFirst(now)).isEqualTo(least);
    }
  }

  @Test
  void entrySetTwice_isDueOnce() {
    Timers timers = new Timers();
    Entry entry = entry();
    timers.set(entry, 10);
    timers.set(entry, 20);
    assertThat(pollAll(timers, 15)).isEmpty();
    assertThat(pollAll(timers, 20)).containsExactly(entry);
    assertThat(pollAll(timers, 30)).isEmpty();
  }
}
