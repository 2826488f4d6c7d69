package dev.holdfast.exec.spawn;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExitStatus;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** A subreaper that never stops looking while children come and go: counts how they ended. */
final class SubreaperVictim {
  private SubreaperVictim() {}

  public static void main(String[] args) throws InterruptedException {
    int rounds = Integer.parseInt(args[0]);
    Exec.run("true");
    if (!Subreaper.begin()) {
      throw new IllegalStateException("This kernel lists no children.");
    }
    Subreaper looking = Subreaper.start();
    AtomicBoolean over = new AtomicBoolean();
    Thread looker =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    looking.look();
                    Thread.yield();
                  }
                });
    Map<ExitStatus, Integer> ends = new ConcurrentHashMap<>();
    Thread[] spawners = new Thread[3];
    for (int i = 0; i < spawners.length; i++) {
      spawners[i] = Thread.ofPlatform().start(() -> spawn(rounds, ends));
    }
    for (Thread spawner : spawners) {
      spawner.join();
    }
    over.set(true);
    looker.join();
    System.out.println("ends " + ends);
  }

  private static void spawn(int rounds, Map<ExitStatus, Integer> ends) {
    try (var scope = Exec.scope()) {
      for (int i = 0; i < rounds; i++) {
        ends.merge(
            scope.run(Command.of("sh", "-c", "(true &) ; exit 7")).status(), 1, Integer::sum);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
