package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What this JVM holds at one moment besides processes: zombies, descriptors, platform threads; to
 * be compared with a later moment.
 *
 * <p>What the JVM itself opens or starts when it first needs it does not count: class files, its
 * own libraries, sources of randomness; the threads of the common pool, of the virtual threads'
 * scheduler and the reapers of {@code ProcessBuilder}. Threads of a library that live as long as
 * the JVM are named with {@link #allowingThreads}, or are started before the snapshot is taken.
 * Descriptors are compared by number, as a pool may exchange one for another; threads and zombies
 * one by one.
 *
 * <p>Immutable; may be used from any thread.
 */
public final class Snapshot {

  private static final Duration SETTLE = Duration.ofSeconds(3);
  private static final List<String> JVM_THREADS =
      List.of(
          "ForkJoinPool",
          "junit-jupiter-timeout-watcher",
          "process reaper",
          "VirtualThread-",
          "Common-Cleaner",
          "Attach Listener",
          "Signal Dispatcher",
          "DestroyJavaVM",
          "Read-Poller",
          "Write-Poller",
          "Master-Poller",
          "SIG");
  private static final Set<String> CLASS_PATH =
      Stream.of(System.getProperty("java.class.path", "").split(":", -1))
          .map(entry -> Path.of(entry).toAbsolutePath().toString())
          .collect(Collectors.toSet());

  static {
    openWhatTheJvmKeeps();
  }

  private final Set<Long> zombies;
  private final List<Descriptor> descriptors;
  private final Set<Thread> threads;
  private final List<String> allowedThreads;

  private Snapshot(
      Set<Long> zombies,
      List<Descriptor> descriptors,
      Set<Thread> threads,
      List<String> allowedThreads) {
    this.zombies = zombies;
    this.descriptors = descriptors;
    this.threads = threads;
    this.allowedThreads = allowedThreads;
  }

  /**
   * Looks at this JVM now.
   *
   * @return the snapshot
   */
  public static Snapshot take() {
    return new Snapshot(zombieIds(), ownDescriptors(), Census.threads(), JVM_THREADS);
  }

  /**
   * The same snapshot, which does not mind some threads that start later.
   *
   * @param prefixes how the names of these threads begin
   * @return the more tolerant snapshot
   */
  public Snapshot allowingThreads(String... prefixes) {
    var all = new ArrayList<>(allowedThreads);
    all.addAll(List.of(prefixes));
    return new Snapshot(zombies, descriptors, threads, List.copyOf(all));
  }

  /**
   * Asserts that this JVM holds no more than it did, giving it three seconds to settle.
   *
   * @throws AssertionError that lists the new zombies, descriptors and threads
   */
  public void assertNoGrowth() {
    assertNoGrowth(SETTLE);
  }

  /**
   * Asserts that this JVM holds no more than it did.
   *
   * @param settle how long it may take to get there
   * @throws AssertionError that lists the new zombies, descriptors and threads
   */
  public void assertNoGrowth(Duration settle) {
    Objects.requireNonNull(settle, "settle");
    if (!Patience.until(settle, () -> growth().isEmpty())) {
      var growth = growth();
      if (!growth.isEmpty()) {
        throw new AssertionError("This JVM holds more than before:" + Census.lines(growth));
      }
    }
  }

  /**
   * What this JVM holds now and did not hold then.
   *
   * @return a sentence for each thing, empty if there is none
   */
  public List<String> growth() {
    var growth = new ArrayList<String>();
    Census.zombies().stream()
        .filter(zombie -> !zombies.contains(zombie.pid()))
        .forEach(zombie -> growth.add("zombie " + zombie));
    var now = ownDescriptors();
    if (now.size() > descriptors.size()) {
      growth.add("%d descriptors instead of %d".formatted(now.size(), descriptors.size()));
      var before = new HashSet<>(descriptors);
      now.stream()
          .filter(descriptor -> !before.contains(descriptor))
          .sorted(Comparator.comparingInt(Descriptor::number))
          .forEach(descriptor -> growth.add("new " + descriptor));
    }
    Census.threads().stream()
        .filter(thread -> thread != Thread.currentThread())
        .filter(thread -> !threads.contains(thread) && !isAllowed(thread.getName()))
        .forEach(thread -> growth.add("new thread \"" + thread.getName() + "\""));
    return growth;
  }

  /** The first socket of a JVM makes it open another, which it keeps. */
  private static void openWhatTheJvmKeeps() {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var client = new Socket(server.getInetAddress(), server.getLocalPort())) {
      client.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException("The census needs sockets on the loopback address.", e);
    }
  }

  private boolean isAllowed(String threadName) {
    return allowedThreads.stream().anyMatch(threadName::startsWith);
  }

  private static Set<Long> zombieIds() {
    return Census.zombies().stream().map(ProcessEntry::pid).collect(Collectors.toSet());
  }

  private static List<Descriptor> ownDescriptors() {
    return Census.descriptors().stream().filter(d -> !belongsToJvm(d.target())).toList();
  }

  private static boolean belongsToJvm(String target) {
    return CLASS_PATH.contains(target)
        || target.endsWith(".jar")
        || target.startsWith(System.getProperty("java.home"))
        || target.equals("/dev/random")
        || target.equals("/dev/urandom")
        || target.startsWith("/proc/")
        || target.startsWith("/sys/fs/cgroup/");
  }
}
