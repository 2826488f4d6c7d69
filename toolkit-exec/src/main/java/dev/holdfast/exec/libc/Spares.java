package dev.holdfast.exec.libc;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A few things that are kept to be used again, instead of leaving native memory to the garbage
 * collector each time. Any thread; giving back allocates nothing.
 *
 * @param <T> what is kept
 */
public final class Spares<T> {
  private static final int PLACES = 4;

  private final AtomicReferenceArray<@Nullable T> places = new AtomicReferenceArray<>(PLACES);

  /** None. */
  public Spares() {}

  /**
   * Takes one, which nobody else has then.
   *
   * @return one, or null when there is none
   */
  public @Nullable T take() {
    for (var i = 0; i < PLACES; i++) {
      var spare = places.getAndSet(i, null);
      if (spare != null) {
        return spare;
      }
    }
    return null;
  }

  /**
   * Gives one back, which is dropped when there are enough.
   *
   * @param spare not used by anybody any more
   */
  public void give(T spare) {
    for (var i = 0; i < PLACES; i++) {
      if (places.compareAndSet(i, null, spare)) {
        return;
      }
    }
  }
}
