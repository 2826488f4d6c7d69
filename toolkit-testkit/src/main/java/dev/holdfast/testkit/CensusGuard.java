package dev.holdfast.testkit;

import java.util.Objects;

/**
 * A marker and a look before, whose {@link #close()} takes the census after: no process with the
 * marker, no new zombie, descriptor or thread. For properties and for loops inside a test; JUnit
 * tests have {@link ScopeExtension} and {@link Witnessed}.
 *
 * <pre>{@code
 * try (var guard = CensusGuard.open()) {
 *   ... Fixture.command(guard.marker(), ...) ...
 * }
 * }</pre>
 *
 * <p>For one thread.
 */
public final class CensusGuard implements AutoCloseable {

  private final Marker marker = Marker.unique();
  private final Snapshot before;

  private CensusGuard(Snapshot before) {
    this.before = before;
  }

  /**
   * Proves that the census sees, and looks at this JVM.
   *
   * @param allowedThreads how the names of threads begin that may start meanwhile and stay
   * @return the guard
   */
  public static CensusGuard open(String... allowedThreads) {
    Objects.requireNonNull(allowedThreads, "allowedThreads");
    Census.proveThatItSees();
    return new CensusGuard(Snapshot.take().allowingThreads(allowedThreads));
  }

  /**
   * The marker that the processes of this test carry.
   *
   * @return the marker, unique
   */
  public Marker marker() {
    return marker;
  }

  /**
   * The census by this guard's marker.
   *
   * @return the census
   */
  public Census census() {
    return Census.of(marker);
  }

  /**
   * Asserts that nothing is left. Processes must be gone now; descriptors, threads and zombies have
   * three seconds. What is alive with the marker is killed, so that it doesn't spoil later tests.
   *
   * @throws AssertionError that lists all that is left
   */
  @Override
  public void close() {
    AssertionError failure = null;
    try {
      census().assertNone();
    } catch (AssertionError e) {
      failure = e;
      census().endAll();
    }
    try {
      before.assertNoGrowth();
    } catch (AssertionError e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
    }
    if (failure != null) {
      throw failure;
    }
  }
}
