package dev.holdfast.exec.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class EntryTableTest {
  private static Entry entry(boolean vital) {
    return new Entry() {
      @Override
      protected void advance(int requests, boolean isDue) {}

      @Override
      protected boolean isVital() {
        return vital;
      }
    };
  }

  /** An even number adds an entry, an odd one takes one out. */
  @Property(tries = 300)
  void token_findsItsEntryAndNoLaterOne(
      @ForAll @Size(max = 400) List<@IntRange(min = 0, max = 1_000) Integer> steps)
      throws InterruptedException {
    EntryTable table = new EntryTable();
    List<Entry> present = new ArrayList<>();
    Map<Long, Entry> tokens = new HashMap<>();
    for (int step : steps) {
      if (step % 3 != 2) {
        Entry entry = entry(step % 2 == 0);
        table.add(entry);
        present.add(entry);
        assertThat(tokens.put(table.token(entry), entry)).as("a token that was new").isNull();
      } else if (!present.isEmpty()) {
        Entry entry = present.remove(step % present.size());
        table.remove(entry);
        table.remove(entry);
      }
      tokens.forEach(
          (token, entry) ->
              assertThat(table.find(token)).isEqualTo(present.contains(entry) ? entry : null));
    }
    List<Entry> visited = new ArrayList<>();
    table.forEach(visited::add);
    assertThat(visited).containsExactlyInAnyOrderElementsOf(present);
    assertThat(table.awaitNoneVital(System.nanoTime()))
        .isEqualTo(present.stream().noneMatch(Entry::isVital));
  }

  @Test
  void token_isNeverTheReactorsOwn() {
    EntryTable table = new EntryTable();
    Entry entry = entry(false);
    for (int i = 0; i < 1_000; i++) {
      table.add(entry);
      assertThat(table.token(entry)).isNotNegative();
      table.remove(entry);
    }
  }

  @Test
  void roomForMany_isMadeWhenTheyAreAdded() {
    EntryTable table = new EntryTable();
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      entries.add(entry(true));
      table.add(entries.getLast());
    }
    entries.forEach(table::remove);
    for (Entry entry : entries) {
      table.add(entry);
      assertThat(table.find(table.token(entry))).isSameAs(entry);
    }
  }
}
