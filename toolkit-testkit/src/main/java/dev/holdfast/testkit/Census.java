package dev.holdfast.testkit;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Counts what a test may have left: live processes by marker, zombies by parent, open descriptors,
 * platform threads. It reads {@code /proc} and nothing else.
 *
 * <p>A process belongs to a marker when its arguments or its environment hold the text. The
 * environment of another user's process can only be read as root, its arguments always. This JVM is
 * never counted. All methods may be called from any thread; a thread's interrupt is kept.
 */
public final class Census {

  private static final int LOOKS = 2;

  private final Marker marker;
  private final Set<Long> exceptions;

  private Census(Marker marker, Set<Long> exceptions) {
    this.marker = marker;
    this.exceptions = exceptions;
  }

  /**
   * The census of the processes that carry a marker.
   *
   * @param marker the marker of the test
   * @return a census, which looks anew at each question
   */
  public static Census of(Marker marker) {
    Objects.requireNonNull(marker, "marker");
    return new Census(marker, Set.of(ProcessHandle.current().pid()));
  }

  /**
   * The same census without some processes that carry the marker rightly, such as a victim JVM.
   *
   * @param pids the processes that are not counted
   * @return a census of the others
   */
  public Census except(long... pids) {
    var all = new HashSet<>(exceptions);
    Arrays.stream(pids).forEach(all::add);
    return new Census(marker, Set.copyOf(all));
  }

  /**
   * One look at {@code /proc}. A process that is born meanwhile, or that is between fork and exec,
   * may be missed by one look; {@link #assertNone()} and {@link #awaitGone(Duration)} take two.
   *
   * @return the live processes with the marker, in order of pid
   */
  public List<ProcessEntry> live() {
    return ProcFs.pids().stream()
        .filter(pid -> !exceptions.contains(pid))
        .sorted()
        .map(ProcFs::entry)
        .flatMap(Optional::stream)
        .filter(entry -> entry.isLive() && ProcFs.mentions(entry, marker.text()))
        .toList();
  }

  /**
   * Whether two looks in a row find no live process with the marker.
   *
   * @return true if none was found
   */
  public boolean isGone() {
    return IntStream.range(0, LOOKS).allMatch(look -> live().isEmpty());
  }

  /**
   * Waits until so many live processes carry the marker.
   *
   * @param count the number expected
   * @param limit how long to wait
   * @return the processes
   * @throws AssertionError if the time is up first, with the processes that there are
   */
  public List<ProcessEntry> awaitLive(int count, Duration limit) {
    if (!Patience.until(limit, () -> live().size() == count)) {
      var found = live();
      throw new AssertionError(
          "Expected %d live processes with marker %s within %s, found %d:%s"
              .formatted(count, marker, limit, found.size(), lines(found)));
    }
    return live();
  }

  /**
   * Waits until no live process carries the marker, as two looks in a row agree.
   *
   * @param limit how long to wait
   * @throws AssertionError if the time is up first, with every survivor
   */
  public void awaitGone(Duration limit) {
    if (!Patience.until(limit, this::isGone)) {
      fail("after " + limit, live());
    }
  }

  /**
   * Asserts that now no live process carries the marker, as two looks in a row agree.
   *
   * @throws AssertionError with pid, parent, group, session, state and command of every survivor
   */
  public void assertNone() {
    for (int look = 1; look <= LOOKS; look++) {
      var found = live();
      if (!found.isEmpty()) {
        fail("now", found);
      }
    }
  }

  /**
   * Kills what carries the marker, for the clean-up of a test that has failed: KILL, again and
   * again until two looks find nothing, for ten seconds at most.
   *
   * @return the processes that were found first
   * @throws AssertionError if some can't be ended
   */
  public List<ProcessEntry> endAll() {
    var first = live();
    boolean gone =
        Patience.until(
            Duration.ofSeconds(10),
            () -> {
              live().forEach(entry -> Signals.send("KILL", entry.pid()));
              return isGone();
            });
    if (!gone) {
      fail("after KILL", live());
    }
    return first;
  }

  /**
   * The zombies of this JVM: children that have ended and were not reaped.
   *
   * @return them, in no order
   */
  public static List<ProcessEntry> zombies() {
    return zombies(ProcessHandle.current().pid());
  }

  /**
   * The zombies of a parent.
   *
   * @param parent the pid of the process that should have reaped them
   * @return them, in no order
   */
  public static List<ProcessEntry> zombies(long parent) {
    return children(parent).stream().filter(ProcessEntry::isZombie).toList();
  }

  /**
   * The children of a process, dead ones included, with or without a marker.
   *
   * @param parent the pid of the parent
   * @return them, in no order
   */
  public static List<ProcessEntry> children(long parent) {
    return all().stream().filter(entry -> entry.ppid() == parent).toList();
  }

  /**
   * The members of a process group, dead ones included.
   *
   * @param pgid the group
   * @return them, in no order
   */
  public static List<ProcessEntry> group(long pgid) {
    return all().stream().filter(entry -> entry.pgid() == pgid).toList();
  }

  /**
   * One process, dead or alive.
   *
   * @param pid its id; that of a mere thread finds nothing
   * @return the process, or empty if there is none
   */
  public static Optional<ProcessEntry> process(long pid) {
    return ProcFs.pids().contains(pid) ? ProcFs.entry(pid) : Optional.empty();
  }

  /**
   * The open descriptors of this JVM.
   *
   * @return them, without the one that lists them
   */
  public static List<Descriptor> descriptors() {
    return descriptors(ProcessHandle.current().pid());
  }

  /**
   * The open descriptors of a process.
   *
   * @param pid the process, which must be ours to look into (ptrace(2), access mode)
   * @return them, or none if the process is gone or may not be looked into
   */
  public static List<Descriptor> descriptors(long pid) {
    return ProcFs.descriptors(pid);
  }

  /**
   * The live platform threads of this JVM, without those that the JVM hides.
   *
   * @return them, in no order
   */
  public static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet();
  }

  /**
   * Plants a process with the marker in its arguments, one with it in its environment, a zombie, a
   * descriptor and a platform thread, and demands that each is found while it is there and not
   * afterwards. Done once in each JVM; later calls return at once.
   *
   * @throws AssertionError if the census is blind to one of them, so that its silence proves
   *     nothing
   */
  public static void proveThatItSees() {
    SelfProof.once();
  }

  private static List<ProcessEntry> all() {
    return ProcFs.pids().stream().map(ProcFs::entry).flatMap(Optional::stream).toList();
  }

  private void fail(String when, List<ProcessEntry> survivors) {
    throw new AssertionError(
        "%d live processes carry the marker %s %s; there should be none:%s"
            .formatted(survivors.size(), marker, when, lines(survivors)));
  }

  static String lines(List<?> entries) {
    return entries.stream().map(entry -> "\n  " + entry).collect(Collectors.joining());
  }
}
