package dev.holdfast.scope;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A named step at which only the death of the whole JVM (SIGKILL) may strike. Unlike a {@link
 * HaltPoint} it may stand anywhere, between arming and publication too: what is passed there must
 * neither throw nor wait. Free of cost but for one volatile read while no injector is set. For
 * tests; see the testkit's {@code KillPoints}.
 */
public final class KillPoint {
  private static final Map<String, KillPoint> ALL = new ConcurrentSkipListMap<>();
  private static volatile @Nullable Consumer<KillPoint> injector;

  private final String name;

  private KillPoint(String name) {
    this.name = name;
  }

  /**
   * The point of that name, created when it is asked for the first time.
   *
   * @param name what the point is called, as {@code spawn.armed}
   * @return the one point of that name
   */
  public static KillPoint named(String name) {
    return ALL.computeIfAbsent(name, KillPoint::new);
  }

  /**
   * All points whose classes have been loaded.
   *
   * @return the points, in the order of their names
   */
  public static Collection<KillPoint> all() {
    return ALL.values();
  }

  /**
   * Sets what is called at every point, on the thread that passes it.
   *
   * @param injector the injector, or null for none
   */
  public static void inject(@Nullable Consumer<KillPoint> injector) {
    KillPoint.injector = injector;
  }

  /** Passes this point: calls the injector, if there is one. */
  public void pass() {
    Consumer<KillPoint> current = injector;
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
