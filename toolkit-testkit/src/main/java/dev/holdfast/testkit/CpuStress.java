package dev.holdfast.testkit;

import java.util.List;
import java.util.stream.IntStream;

/** Platform threads that spin, as load on the machine, until it is closed. */
public final class CpuStress implements AutoCloseable {

  private volatile boolean over;
  private final List<Thread> threads;

  private CpuStress(int count) {
    threads =
        IntStream.range(0, count)
            .mapToObj(
                i -> Thread.ofPlatform().daemon().name("cpu-stress-" + i).unstarted(this::spin))
            .toList();
  }

  /**
   * Starts so many spinning threads.
   *
   * @param count how many; twice the number of processors halves what is left for others
   * @return the load
   */
  public static CpuStress start(int count) {
    var stress = new CpuStress(count);
    stress.threads.forEach(Thread::start);
    return stress;
  }

  /** Ends the load and waits for its threads. Idempotent. */
  @Override
  public void close() {
    over = true;
    threads.forEach(Uninterrupted::join);
  }

  private void spin() {
    while (!over) {
      Thread.onSpinWait();
    }
  }
}
