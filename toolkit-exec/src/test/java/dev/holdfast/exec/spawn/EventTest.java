package dev.holdfast.exec.spawn;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.CarrierHog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class EventTest {
  private static CompletableFuture<Thread> threadOfDependent(Event event) {
    return event.future().thenApply(_ -> Thread.currentThread());
  }

  @Test
  void dependents_runOnAVirtualThread() throws Exception {
    Event event = new Event();
    CompletableFuture<Thread> dependent = threadOfDependent(event);
    Thread reactor = Thread.ofPlatform().start(event::happen);
    reactor.join();
    assertThat(dependent.get(20, SECONDS).isVirtual()).isTrue();
  }

  @Test
  void dependentThatBlocks_holdsUpNeitherTheTellerNorTheOthers() throws Exception {
    Event event = new Event();
    CountDownLatch never = new CountDownLatch(1);
    CompletableFuture<Void> blocked =
        event
            .future()
            .thenAccept(
                _ -> {
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    event.happen();
    event.await();
    assertThat(event.future()).isDone();
    never.countDown();
    blocked.get(20, SECONDS);
  }

  @Test
  void askingForAFuture_runsNoDependentOfAnotherOne() throws Exception {
    Event event = new Event();
    CompletableFuture<Thread> dependent = threadOfDependent(event);
    try (CarrierHog hog = CarrierHog.start(Duration.ofSeconds(20))) {
      event.happen();
      assertThat(event.future()).isDone();
      assertThat(dependent).as("while no virtual thread gets on").isNotDone();
      assertThat(hog).isNotNull();
    }
    assertThat(dependent.get(20, SECONDS).isVirtual()).isTrue();
  }

  @Test
  void futureThatACallerCompletes_touchesNobodyElse() throws Exception {
    Event event = new Event();
    CompletableFuture<Void> mine = event.future();
    CompletableFuture<Void> other = event.future();
    mine.complete(null);
    other.cancel(true);
    assertThat(event.hasHappened()).isFalse();
    assertThat(event.future()).isNotDone();
    assertThat(event.await(1_000)).isFalse();
  }

  @Test
  void waiters_areAllWoken_whenItIsToldTwiceToo() throws Exception {
    Event event = new Event();
    List<Thread> threads = new ArrayList<>();
    List<String> woken = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 20; i++) {
      Thread.Builder builder = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
      boolean timed = i % 3 == 0;
      threads.add(
          builder.start(
              () -> {
                try {
                  woken.add(timed ? "" + event.await(SECONDS.toNanos(60)) : awaited(event));
                } catch (InterruptedException e) {
                  woken.add("interrupted");
                }
              }));
    }
    event.happen();
    event.happen();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(woken).hasSize(20).containsOnly("true");
  }

  private static String awaited(Event event) throws InterruptedException {
    event.await();
    return "true";
  }
}
