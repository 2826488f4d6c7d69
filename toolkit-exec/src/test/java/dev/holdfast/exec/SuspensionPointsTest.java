package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.exec.Bytecode.Call;
import dev.holdfast.exec.Bytecode.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What the bytecode says of points, parks and native calls, whether a test comes by there or not.
 */
class SuspensionPointsTest {
  private static final Bytecode MAIN = Bytecode.ofMain();
  private static final Method PASS = new Method("HaltPoint", "pass");
  private static final Method SAFE_PASS = new Method("Failures", "pass");

  private static final Map<String, Set<String>> PARKS =
      Map.ofEntries(
          Map.entry("Object", Set.of("wait")),
          Map.entry("TimeUnit", Set.of("timedWait", "sleep", "timedJoin")),
          Map.entry("Thread", Set.of("sleep", "join")),
          Map.entry("LockSupport", Set.of("park", "parkNanos", "parkUntil")),
          Map.entry("Lock", Set.of("lock", "lockInterruptibly", "tryLock")),
          Map.entry("ReentrantLock", Set.of("lock", "lockInterruptibly", "tryLock")),
          Map.entry("Condition", Set.of("await", "awaitNanos", "awaitUninterruptibly")),
          Map.entry("CountDownLatch", Set.of("await")),
          Map.entry("Semaphore", Set.of("acquire", "acquireUninterruptibly")),
          Map.entry("Future", Set.of("get")),
          Map.entry("CompletableFuture", Set.of("get", "join")),
          Map.entry("Process", Set.of("waitFor")),
          Map.entry("TaskGroup", Set.of("close")),
          Map.entry("Epoll", Set.of("await")));

  /** Waits that no acquisition and no teardown of a caller's stands in, and why. */
  private static final Map<Method, String> ELSEWHERE =
      Map.ofEntries(
          Map.entry(method("ScopeCore", "awaitHaltedAndEmpty"), "the keeper's own thread"),
          Map.entry(method("ScopeCore", "open"), "the open has failed; its keeper ends at once"),
          Map.entry(
              method("ScopeCore", "closeTasks"),
              "between close.empty and close.tasks, by way of a field that is filled before"),
          Map.entry(method("HoldUp", "watch"), "a thread that watches a finalizer"),
          Map.entry(method("Reactor", "turn"), "the reactor's loop; it has reactor.step"),
          Map.entry(method("Reactor", "survive"), "the reactor's loop; it has reactor.step"),
          Map.entry(method("Scanner", "loop"), "the scanner's thread"),
          Map.entry(method("Scanner", "take"), "the scanner's thread"),
          Map.entry(method("Scanner", "pauseAfterFailure"), "the scanner's thread"),
          Map.entry(method("Feeder", "nameUnlessEnded"), "a thread that watches a source"),
          Map.entry(method("PipeEnd", "park"), "a read or write of the caller's or of a pump"),
          Map.entry(method("EntryTable", "awaitNoneVital"), "the JVM's shutdown hook"),
          Map.entry(method("FreshStack", "run"), "once, before the first scope opens"),
          Map.entry(method("Native", "load"), "once, before the first scope opens"));

  private static Method method(String type, String name) {
    return new Method(type, name);
  }

  @Test
  @DisplayName(
      "E2: each park on the way of a spawn or a teardown has a halt point before and after")
  void e2_everyPark_hasAHaltPointBeforeAndAfter() {
    Map<Method, String> bare = new LinkedHashMap<>();
    Set<Method> covered = new LinkedHashSet<>();
    MAIN.calls()
        .forEach(
            (method, calls) -> {
              for (int i = 0; i < calls.size(); i++) {
                if (isPark(calls.get(i)) && !isOfTheCommandLine(method)) {
                  if (hasPointsAround(method, i)) {
                    covered.add(method);
                  } else {
                    bare.put(method, calls.get(i).target().toString());
                  }
                }
              }
            });
    assertThat(bare.keySet())
        .as("parks without halt points: %s", bare)
        .isSubsetOf(ELSEWHERE.keySet());
    assertThat(covered)
        .contains(
            method("Spawner", "pause"),
            method("Event", "park"),
            method("ScopeCore", "join"),
            method("ScopeCore", "isOverOrWait"));
  }

  @Test
  @DisplayName("E2: the list of parks elsewhere holds none that is gone")
  void e2_listOfParksElsewhere_isNeeded() {
    assertThat(ELSEWHERE.keySet())
        .allSatisfy(
            method -> assertThat(MAIN.callsOf(method)).as("%s", method).anyMatch(c -> isPark(c)));
  }

  private static boolean isPark(Call call) {
    Set<String> names = PARKS.get(call.target().type());
    return call.direct() && names != null && names.contains(call.target().name())
        || call.direct()
            && call.target().name().equals("wait")
            && MAIN.isOurs(method(call.target().type(), "<init>"));
  }

  private static boolean isOfTheCommandLine(Method method) {
    return MAIN.isOfPackage(method, "dev/holdfast/exec/cli");
  }

  /** In the method itself, or around its call in the one method that calls it, and so on. */
  private static boolean hasPointsAround(Method method, int index) {
    boolean before = false;
    boolean after = false;
    Method inside = method;
    int at = index;
    while (true) {
      List<Call> calls = MAIN.callsOf(inside);
      before |= calls.subList(0, at).stream().anyMatch(SuspensionPointsTest::isPoint);
      after |= calls.subList(at + 1, calls.size()).stream().anyMatch(SuspensionPointsTest::isPoint);
      if (before && after) {
        return true;
      }
      List<Method> callers = MAIN.callersOf(inside);
      if (callers.size() != 1 || callers.getFirst().equals(inside)) {
        return false;
      }
      List<Method> outer = MAIN.callsOf(callers.getFirst()).stream().map(Call::target).toList();
      at = outer.indexOf(inside);
      inside = callers.getFirst();
    }
  }

  private static boolean isPoint(Call call) {
    return call.target().equals(PASS) || call.target().equals(SAFE_PASS);
  }

  /** Between arming and publication, and why it is allowed there. */
  private static final Map<Method, String> NEVER_THEN =
      Map.of(
          method("Native", "load"), "the C library is loaded before a scope can open",
          method("Entry", "reactorDied"), "when the reactor is dead, on the caller's thread",
          method("Signals", "requireForeignPid"), "its exceptions are for bugs",
          method("Signals", "requireForeignGroup"), "its exceptions are for bugs",
          method("AsyncSignal", "ownedByGroup"), "its exceptions are for bugs");

  @Test
  @DisplayName("E2: no path from arming to publication parks, locks or passes a halt point")
  void e2_fromArmToPublish_nothingSuspends() {
    List<Call> attempt = MAIN.callsOf(method("Spawner", "attempt"));
    List<Method> steps = attempt.stream().map(Call::target).toList();
    int armed = steps.indexOf(method("Child", "armIn"));
    int published = steps.indexOf(method("Child", "publish"));
    assertThat(armed).isNotNegative();
    assertThat(published).isGreaterThan(armed);

    Set<Method> reached = new LinkedHashSet<>();
    Map<Method, Method> by = new TreeMap<>(java.util.Comparator.comparing(Method::toString));
    Deque<Method> open = new ArrayDeque<>(steps.subList(armed + 1, published + 1));
    while (!open.isEmpty()) {
      Method next = open.pop();
      List<Method> targets = NEVER_THEN.containsKey(next) ? List.of() : MAIN.resolve(next);
      for (Method method : targets) {
        if (reached.add(method)) {
          for (Call call : MAIN.callsOf(method)) {
            by.putIfAbsent(call.target(), method);
            open.add(call.target());
          }
        }
      }
    }
    assertThat(reached)
        .contains(method("SpawnCall", "run"), method("Reactor", "post"), method("Libc", "write"));
    List<String> suspending = new ArrayList<>();
    for (Method method : reached) {
      if (method.equals(PASS)
          || method.equals(Bytecode.MONITOR)
          || isPark(new Call(method, true))) {
        suspending.add(method + ", called by " + by.get(method));
      }
    }
    assertThat(suspending).isEmpty();
  }

  @Test
  @DisplayName("E2: every native call goes through the one instance that tests can wrap")
  void e2_everyNativeCall_goesThroughTheOneInstance() {
    Set<String> holders = new TreeSet<>();
    Set<String> callers = new TreeSet<>();
    Set<Method> without = new LinkedHashSet<>();
    MAIN.fieldsOfType("Libc").forEach(holders::add);
    MAIN.calls()
        .forEach(
            (method, calls) -> {
              boolean makesCalls = calls.stream().anyMatch(c -> c.target().type().equals("Libc"));
              if (makesCalls) {
                callers.add(MAIN.packageOf(method));
                boolean asks =
                    calls.stream().anyMatch(c -> c.target().equals(method("Native", "libc")));
                if (!asks) {
                  without.add(method);
                }
              }
            });
    assertThat(holders).containsExactly("Native.current");
    assertThat(callers).containsExactly("dev/holdfast/exec/libc");
    assertThat(without)
        .as("methods that are handed the instance: by callers that have asked for it")
        .isSubsetOf(
            method("SpawnCall", "prepareAttributes"),
            method("SpawnCall", "prepareActions"),
            method("SpawnCall", "prepareWire"),
            method("SpawnCall", "dup"),
            method("SpawnCall", "closeFrom"),
            method("Native", "checkLibrary"),
            method("Native", "checkPidfd"),
            method("SigChld", "ensureDefault"),
            method("Signals", "probe"));
  }
}
