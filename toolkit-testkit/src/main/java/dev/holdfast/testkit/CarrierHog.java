package dev.holdfast.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/**
 * Takes every carrier of the virtual threads by spinning on it, and every worker of the common pool
 * by blocking it, so that only platform threads of their own get on. Ends by itself when its time
 * is over.
 *
 * <p>Started from a platform thread it returns once it holds all of them; from a virtual thread
 * only when its time is over, as that thread's carrier is taken too.
 */
public final class CarrierHog implements AutoCloseable {

  private final List<Thread> spinning = new ArrayList<>();
  private final List<ForkJoinTask<?>> blocking = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch taken;
  private final long end;

  private CarrierHog(Duration limit, int threads) {
    end = System.nanoTime() + limit.toNanos();
    taken = new CountDownLatch(threads);
  }

  /**
   * Takes carriers and pool.
   *
   * @param limit how long to hold them at most
   * @return the hog, which {@link #close} ends early
   */
  public static CarrierHog start(Duration limit) {
    int carriers = carriers();
    int workers = ForkJoinPool.getCommonPoolParallelism();
    var hog = new CarrierHog(limit, carriers + workers);
    for (int i = 0; i < carriers; i++) {
      hog.spinning.add(Thread.ofVirtual().name("hog-" + i).start(hog::spin));
    }
    for (int i = 0; i < workers; i++) {
      hog.blocking.add(ForkJoinPool.commonPool().submit(hog::block));
    }
    Uninterrupted.await(hog.taken);
    return hog;
  }

  /** Lets go, and waits until every carrier and worker is free. Idempotent. */
  @Override
  public void close() {
    over.countDown();
    spinning.forEach(Uninterrupted::join);
    blocking.forEach(ForkJoinTask::join);
  }

  private void spin() {
    taken.countDown();
    while (over.getCount() > 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private void block() {
    taken.countDown();
    Uninterrupted.await(over, end);
  }

  private static int carriers() {
    return Integer.getInteger(
        "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
  }
}
