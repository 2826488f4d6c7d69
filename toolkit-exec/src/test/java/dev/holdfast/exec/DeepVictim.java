package dev.holdfast.exec;

import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Marker;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Spawns from the end of its stack: at every depth, from the deepest on, until there is room. Each
 * failure on the way is a real StackOverflowError at another place of the machinery.
 */
final class DeepVictim {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int ENOUGH = 3;
  private static final Marker MARKER = Marker.ofVictim();
  private static final Census CENSUS = Census.of(MARKER).except(ProcessHandle.current().pid());

  private final ExecScope scope;
  private final int step;
  private final Map<String, Integer> outcomes;
  private int spawned;

  private DeepVictim(ExecScope scope, int step, Map<String, Integer> outcomes) {
    this.scope = scope;
    this.step = step;
    this.outcomes = outcomes;
  }

  /** Arguments: "cold" or "warm", the rounds, the stack in KiB. */
  static void main(String[] args) throws InterruptedException {
    if (args[0].equals("warm")) {
      for (int i = 0; i < 20; i++) {
        Exec.run("true");
      }
    }
    int rounds = Integer.parseInt(args[1]);
    long stack = Long.parseLong(args[2]) << 10;
    Map<String, Integer> outcomes = new TreeMap<>();
    int wrong = 0;
    int descriptors = 0;
    for (int round = 0; round < rounds; round++) {
      wrong += round(round, stack, outcomes);
      if (round == 0) {
        descriptors = Census.descriptors().size();
      }
    }
    int growth = Census.descriptors().size() - descriptors;
    System.out.println("outcomes " + outcomes);
    System.out.println("descriptors " + growth + " zombies " + Census.zombies().size());
    System.out.println("afterwards " + Exec.run("echo", "usable").stdout().strip());
    System.out.println("done " + wrong);
  }

  private static int round(int round, long stack, Map<String, Integer> outcomes)
      throws InterruptedException {
    AtomicReference<String> end = new AtomicReference<>("hung");
    Thread deep =
        new Thread(
            null,
            () -> {
              try (var scope = Exec.scope(o -> o.stop(StopPolicy.kill()))) {
                new DeepVictim(scope, round % 7, outcomes).descend(round % 7);
                end.set("closed");
              } catch (Throwable t) {
                end.set("closed with " + t);
              }
            },
            "deep",
            stack);
    deep.setDaemon(true);
    deep.start();
    int wrong = 0;
    if (!deep.join(LIMIT)) {
      System.out.println("round " + round + " HUNG\n" + Stacks.all());
      wrong++;
    }
    if (!end.get().equals("closed")) {
      System.out.println("round " + round + " " + end.get());
      wrong++;
    }
    if (!CENSUS.isGone()) {
      System.out.println("round " + round + " LEFT " + CENSUS.endAll());
      wrong++;
    }
    return wrong;
  }

  /** Frames of another size each round, so that the errors come elsewhere. */
  private int descend(int padding) {
    int deeper;
    try {
      deeper = padding > 0 ? pad(padding - 1, 1L, 2L, 3L) : descend(step);
    } catch (StackOverflowError e) {
      deeper = -1;
    }
    if (deeper < 0 && spawned < ENOUGH) {
      attempt();
    }
    return spawned < ENOUGH ? -1 : 0;
  }

  private int pad(int padding, long a, long b, long c) {
    return descend(padding) + (int) (a + b + c) * 0;
  }

  private void attempt() {
    try {
      scope.spawn(Shape.SLEEPER.env(MARKER.environment()));
      spawned++;
      outcomes.merge("spawned", 1, Integer::sum);
    } catch (StackOverflowError e) {
      outcomes.merge("StackOverflowError", 1, Integer::sum);
    } catch (Throwable t) {
      outcomes.merge(t.toString(), 1, Integer::sum);
    }
  }
}
