package dev.holdfast.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.scope.KillPoint;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The victim's side of a kill at a named point: prints {@code KILLPOINT number name#occurrence} on
 * stdout for each point passed, or for one, at which the thread then stays until the JVM is killed.
 *
 * <p>A victim's main class calls {@link #install()} just before the steps under test; what it does
 * is said by the system property {@value #PROPERTY}, which a {@link KillMatrix} sets: {@code
 * record}, a number, or {@code name#occurrence}. Without the property nothing happens. A held
 * thread does not park, so that nothing else runs on it; it gives the JVM up with status {@value
 * #NOT_KILLED} if nobody kills it for a minute. Lines are written without any lock of Java's
 * streams.
 */
public final class KillPoints {

  /** The system property that says what a victim does at kill points. */
  public static final String PROPERTY = "holdfast.testkit.killpoint";

  /** The exit status of a victim that was held at a point but not killed. */
  public static final int NOT_KILLED = 86;

  static final String LINE = "KILLPOINT ";
  static final String RECORD = "record";

  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final AtomicInteger passes = new AtomicInteger();
  private final Map<String, AtomicInteger> occurrences = new ConcurrentHashMap<>();

  // Never closed: closing it would close the victim's stdout.
  @SuppressWarnings("resource")
  private final FileOutputStream stdout = new FileOutputStream(FileDescriptor.out);

  private KillPoints() {}

  /** Does what the system property says; to be called in the victim. */
  public static void install() {
    var order = System.getProperty(PROPERTY);
    if (order == null) {
      return;
    }
    if (order.equals(RECORD)) {
      recording();
    } else if (order.chars().allMatch(Character::isDigit)) {
      holdAt(Integer.parseInt(order));
    } else {
      holdAt(order);
    }
  }

  /** Prints every point that is passed from now on. */
  public static void recording() {
    var points = new KillPoints();
    KillPoint.inject(point -> points.print(points.pass(point)));
  }

  /**
   * Holds the thread that makes the n-th pass of any point.
   *
   * @param number from 1
   */
  public static void holdAt(int number) {
    var points = new KillPoints();
    KillPoint.inject(points.holding(pass -> pass.startsWith(number + " ")));
  }

  /**
   * Holds the thread that passes a named point for the n-th time.
   *
   * @param point in the form {@code name#occurrence}, from 1; a bare name means the first
   */
  public static void holdAt(String point) {
    var points = new KillPoints();
    var wanted = " " + (point.contains("#") ? point : point + "#1");
    KillPoint.inject(points.holding(pass -> pass.endsWith(wanted)));
  }

  /** Prints nothing any more and holds nobody; those who are held stay held. */
  public static void remove() {
    KillPoint.inject(null);
  }

  private Consumer<KillPoint> holding(java.util.function.Predicate<String> wanted) {
    return point -> {
      var pass = pass(point);
      if (wanted.test(pass)) {
        print(pass);
        holdForEver();
      }
    };
  }

  private String pass(KillPoint point) {
    var counter = occurrences.computeIfAbsent(point.name(), name -> new AtomicInteger());
    return passes.incrementAndGet() + " " + point.name() + "#" + counter.incrementAndGet();
  }

  private void print(String pass) {
    try {
      stdout.write((LINE + pass + "\n").getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("The victim's stdout is closed.", e);
    }
  }

  private static void holdForEver() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < PATIENCE_NANOS) {
      Thread.onSpinWait();
    }
    Runtime.getRuntime().halt(NOT_KILLED);
  }
}
