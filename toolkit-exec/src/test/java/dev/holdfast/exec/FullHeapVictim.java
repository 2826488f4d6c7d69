package dev.holdfast.exec;

import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Marker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Spawns and closes while its heap is full, with a little more room in each round. */
final class FullHeapVictim {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Marker MARKER = Marker.ofVictim();
  private static final Census CENSUS = Census.of(MARKER).except(ProcessHandle.current().pid());
  private static final Command SLEEPER = Shape.SLEEPER.env(MARKER.environment());

  /** What fills the heap. */
  @SuppressWarnings("UnusedVariable") // held, so that the heap stays full
  private static volatile @Nullable List<Object> ballast;

  private final Map<String, Integer> outcomes = new TreeMap<>();
  private final List<String> wrong = new ArrayList<>();
  private final AtomicReference<String> end = new AtomicReference<>("hung");
  private int refused;
  private int spawned;

  private FullHeapVictim() {}

  /** Argument: the rounds. */
  static void main(String[] args) throws InterruptedException {
    for (int i = 0; i < 30; i++) {
      Exec.run("true");
    }
    var victim = new FullHeapVictim();
    int descriptors = Census.descriptors().size();
    for (int round = 0; round < Integer.parseInt(args[0]); round++) {
      victim.round(round);
    }
    int growth = Census.descriptors().size() - descriptors;
    System.out.println("outcomes " + victim.outcomes);
    System.out.println(
        "spawned %d refused %d descriptors %d zombies %d"
            .formatted(victim.spawned, victim.refused, growth, Census.zombies().size()));
    victim.wrong.forEach(System.out::println);
    System.out.println("afterwards " + Exec.run("echo", "usable").stdout().strip());
    System.out.println("done " + victim.wrong.size());
  }

  private void round(int round) throws InterruptedException {
    end.set("hung");
    Thread owner = Thread.ofPlatform().daemon().start(() -> own(round));
    boolean ended = owner.join(LIMIT);
    ballast = null;
    String how = end.get();
    outcomes.merge(how, 1, Integer::sum);
    if (!ended) {
      wrong.add("round " + round + " hung\n" + Stacks.all());
    }
    if (!CENSUS.isGone()) {
      wrong.add("round " + round + " left " + CENSUS.endAll());
    }
  }

  private void own(int round) {
    try {
      try (var scope = Exec.scope(o -> o.stop(StopPolicy.kill()))) {
        fill(round % 7);
        spawnSome(scope, round);
        if (round % 3 == 0) {
          ballast = null; // else the scope closes on a full heap
        }
      }
      end.set("closed");
    } catch (OutOfMemoryError e) {
      ballast = null;
      end.set("closed with OutOfMemoryError");
    } catch (Throwable t) {
      ballast = null;
      end.set("closed with " + t.getClass().getSimpleName());
    }
  }

  private void spawnSome(ExecScope scope, int round) {
    for (int i = 0; i < 6 + round % 7; i++) {
      try {
        scope.spawn(SLEEPER);
        spawned++;
      } catch (OutOfMemoryError e) {
        refused++;
      }
    }
  }

  private static void fill(int dropped) {
    List<Object> full = new ArrayList<>(100_000);
    ballast = full;
    for (int size = 1 << 20; size >= 16; ) {
      try {
        full.add(new byte[size]);
      } catch (OutOfMemoryError e) {
        size >>= 1;
      }
    }
    for (int i = 0; i < dropped * dropped; i++) {
      full.removeLast();
    }
  }
}
