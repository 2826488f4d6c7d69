package dev.holdfast.scope;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A named suspension point of acquisition or teardown: a place where an interrupt, a halt, a
 * timeout or an {@link Error} may strike. Free of cost but for one volatile read while no injector
 * is set. Halt points never stand inside a lock, nor between the arming of a slot and its
 * publication. For tests; see the testkit's {@code HaltInjector}.
 */
public final class HaltPoint {
  private static final Map<String, HaltPoint> ALL = new ConcurrentSkipListMap<>();
  private static volatile @Nullable Consumer<HaltPoint> injector;

  private final String name;

  private HaltPoint(String name) {
    this.name = name;
  }

  /**
   * The point of that name, created when it is asked for the first time.
   *
   * @param name what the point is called, as {@code spawn.prepared}
   * @return the one point of that name
   */
  public static HaltPoint named(String name) {
    return ALL.computeIfAbsent(name, HaltPoint::new);
  }

  /**
   * All points whose classes have been loaded.
   *
   * @return the points, in the order of their names
   */
  public static Collection<HaltPoint> all() {
    return ALL.values();
  }

  /**
   * Sets what is called at every point, on the thread that passes it.
   *
   * @param injector the injector, or null for none
   */
  public static void inject(@Nullable Consumer<HaltPoint> injector) {
    HaltPoint.injector = injector;
  }

  /** Passes this point: calls the injector, if there is one. */
  public void pass() {
    Consumer<HaltPoint> current = injector;
    if (current != null) {
      current.accept(this);
    }
  }

  /**
   * The name of this point.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  @Override
  public String toString() {
    return name;
  }
}
