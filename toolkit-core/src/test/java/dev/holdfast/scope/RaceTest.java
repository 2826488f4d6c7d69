package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RaceTest {
  private static final int SPAWNERS = 4;
  private static final int ADOPT = 1;
  private static final int STOP = 2;

  private final AtomicInteger alive = new AtomicInteger();
  private final AtomicInteger spawned = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final BlockingQueue<Child> mailbox = new LinkedBlockingQueue<>();

  /** As a process's slot: requests are bits, its reactor is the only one that ends it. */
  private final class Child extends Slot {
    private final AtomicInteger bits = new AtomicInteger();
    private int asked; // reactor's thread

    Child() {
      super(true);
    }

    @Override
    protected void halt(Cause cause) {
      post(STOP);
    }

    void post(int bit) {
      bits.getAndUpdate(b -> b | bit);
      mailbox.add(this);
    }

    void spawnIn(Scope scope) {
      arm(scope);
      alive.incrementAndGet();
      spawned.incrementAndGet();
      post(ADOPT);
    }

    void advance() {
      asked |= bits.getAndSet(0);
      if (asked == (ADOPT | STOP)) {
        asked = 0;
        alive.decrementAndGet();
        leave();
      }
    }
  }

  private void react() {
    try {
      while (true) {
        mailbox.take().advance();
      }
    } catch (InterruptedException e) {
      // The test is over.
    }
  }

  /** Spawns until it is refused. */
  private void spawn(Scope scope, CountDownLatch go) {
    try {
      go.await();
      while (true) {
        new Child().spawnIn(scope);
        Thread.onSpinWait();
      }
    } catch (ScopeHaltedException e) {
      refused.incrementAndGet();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void e35_spawningFromFourThreads_racesHaltAndClose_refusedOrEndedNeverLeft(boolean haltFirst)
      throws Exception {
    int rounds = 1_000;
    Thread reactor = Thread.ofPlatform().daemon().start(this::react);
    List<LinkedBlockingQueue<Runnable>> queues = new ArrayList<>();
    List<Thread> spawners = new ArrayList<>();
    for (int i = 0; i < SPAWNERS + 1; i++) {
      LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
      queues.add(queue);
      spawners.add(Thread.ofPlatform().daemon().start(() -> work(queue)));
    }
    AtomicInteger done = new AtomicInteger();
    AtomicReference<String> standing = new AtomicReference<>("none");
    FutureTask<Void> owner =
        Patience.task(
            () -> {
              for (int round = 0; round < rounds; round++) {
                CountDownLatch go = new CountDownLatch(1);
                CountDownLatch ended = new CountDownLatch(SPAWNERS);
                CountDownLatch halted = new CountDownLatch(haltFirst ? 1 : 0);
                try (Scope scope = Scope.open()) {
                  for (int i = 0; i < SPAWNERS; i++) {
                    queues
                        .get(i)
                        .add(
                            () -> {
                              spawn(scope, go);
                              ended.countDown();
                            });
                  }
                  if (haltFirst) {
                    queues
                        .get(SPAWNERS)
                        .add(
                            () -> {
                              pause();
                              scope.halt();
                              halted.countDown();
                            });
                  }
                  go.countDown();
                  pause();
                }
                standing.set("closed round " + round);
                assertThat(alive).as("alive after the close of round %s", round).hasValue(0);
                Patience.await(ended);
                Patience.await(halted);
                assertThat(alive).as("alive after the end of round %s", round).hasValue(0);
                done.incrementAndGet();
              }
            });
    Thread.ofPlatform().daemon().start(owner);
    try {
      owner.get(100, java.util.concurrent.TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new AssertionError("stands after " + standing + ", alive " + alive, e);
    }
    reactor.interrupt();
    spawners.forEach(Thread::interrupt);
    System.out.printf(
        "E35: %d rounds, %d spawned, %d spawners refused%n",
        done.get(), spawned.get(), refused.get());
    assertThat(refused).hasValue(rounds * SPAWNERS);
    assertThat(spawned.get()).isGreaterThan(rounds);
  }

  private static void pause() {
    long until = System.nanoTime() + ThreadLocalRandom.current().nextInt(400_000);
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
  }

  private static void work(BlockingQueue<Runnable> queue) {
    try {
      while (true) {
        queue.take().run();
      }
    } catch (InterruptedException e) {
      // The test is over.
    }
  }
}
