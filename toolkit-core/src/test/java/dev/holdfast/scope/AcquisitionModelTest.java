package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.scope.AcquisitionModel.Cast;
import dev.holdfast.scope.AcquisitionModel.Mutant;
import dev.holdfast.scope.AcquisitionModel.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** E2 by enumeration: all interleavings of acquire, halt and close, with an Error at each step. */
class AcquisitionModelTest {
  private static final List<Cast> CASTS =
      List.of(
          new Cast(1, true, false, 0, 1),
          new Cast(1, true, false, 1, 1),
          new Cast(1, false, true, 2, 1),
          new Cast(1, true, true, 2, 2),
          new Cast(2, true, true, 1, 1),
          new Cast(2, true, true, 2, 0));

  /** What an exploration has found. */
  private record Verdict(int states, long steps, List<String> faults) {}

  @Test
  void e2_acquireHaltAndClose_inEveryInterleaving_loseNothing() {
    long states = 0;
    long steps = 0;
    for (Cast cast : CASTS) {
      Verdict verdict = explore(Mutant.NONE, cast);
      assertThat(verdict.faults()).as("%s", cast).isEmpty();
      states += verdict.states();
      steps += verdict.steps();
    }
    System.out.printf("E2: %d states, %d steps, all good%n", states, steps);
    assertThat(states).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void e2_ruleTakenOut_isFound(Mutant mutant) {
    List<String> found = new ArrayList<>();
    for (Cast cast : CASTS) {
      found.addAll(explore(mutant, cast).faults());
    }
    System.out.printf("E2: %s: %s%n", mutant, found.isEmpty() ? "not found" : found.getFirst());
    assertThat(found).as("%s", mutant).isNotEmpty();
  }

  /**
   * Visits every state. A fault is a state that violates what must always hold, or one from which
   * no good end can be reached: somebody waits for ever, or something lives or is held for ever.
   */
  private static Verdict explore(Mutant mutant, Cast cast) {
    Map<String, Integer> numbers = new HashMap<>();
    List<List<Integer>> predecessors = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    ArrayDeque<State> open = new ArrayDeque<>();
    ArrayDeque<Integer> good = new ArrayDeque<>();
    long steps = 0;
    State first = new AcquisitionModel(mutant, cast).new State();
    numbers.put(first.key(), 0);
    predecessors.add(new ArrayList<>());
    open.add(first);
    while (!open.isEmpty()) {
      State state = open.removeLast();
      int number = numbers.getOrDefault(state.key(), -1);
      String violation = state.violation();
      if (violation != null) {
        faults.add(violation + ": " + state.key());
        return new Verdict(numbers.size(), steps, faults);
      }
      if (state.isGood()) {
        good.add(number);
      }
      for (State next : state.next()) {
        steps++;
        String key = next.key();
        Integer known = numbers.get(key);
        if (known == null) {
          known = numbers.size();
          numbers.put(key, known);
          predecessors.add(new ArrayList<>());
          open.add(next);
        }
        predecessors.get(known).add(number);
      }
    }
    boolean[] saved = savedBy(good, predecessors);
    numbers.forEach(
        (key, number) -> {
          if (!saved[number] && faults.size() < 3) {
            faults.add("no good end can be reached: " + key);
          }
        });
    return new Verdict(numbers.size(), steps, faults);
  }

  private static boolean[] savedBy(ArrayDeque<Integer> good, List<List<Integer>> predecessors) {
    boolean[] saved = new boolean[predecessors.size()];
    good.forEach(number -> saved[number] = true);
    while (!good.isEmpty()) {
      for (int before : predecessors.get(good.removeLast())) {
        if (!saved[before]) {
          saved[before] = true;
          good.add(before);
        }
      }
    }
    return saved;
  }
}
