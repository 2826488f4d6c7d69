package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.holdfast.exec.libc.KillPointLibc;
import dev.holdfast.exec.libc.Native;
import dev.holdfast.exec.libc.NativeTap;
import dev.holdfast.scope.HaltPoint;
import dev.holdfast.scope.KillPoint;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.HaltInjector;
import dev.holdfast.testkit.Injection;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What lies between arming and publication, and that a halt there finds the child. */
class SpawnWindowTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(() -> Exec.scope(o -> o.stop(StopPolicy.kill())))
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  /** The steps in the order in which the spawning thread passes them. */
  private static final List<String> WINDOW =
      List.of(
          "spawn.armed",
          "libc.posix_spawn.before",
          "libc.posix_spawn.after",
          "spawn.called",
          "libc.fcntl.before",
          "libc.fcntl.after",
          "spawn.leader-armed",
          "libc.write.before",
          "libc.write.after",
          "spawn.posted");

  private static Command sleeper(Marker marker) {
    return Shape.SLEEPER.env(marker.environment());
  }

  @Test
  @DisplayName("E2: between arming and publication there are kill points only")
  void e2_betweenArmAndPublish_onlyKillPoints(ExecScope scope, Marker marker) {
    List<String> passed = pointsOfOneSpawn(scope, marker);
    int armed = passed.indexOf("kill spawn.armed");
    int posted = passed.indexOf("kill spawn.posted");
    assertThat(armed).isPositive();
    assertThat(posted).isGreaterThan(armed);
    assertThat(passed.subList(armed, posted + 1)).allMatch(point -> point.startsWith("kill "));
    assertThat(passed.subList(armed, posted + 1))
        .containsSubsequence(WINDOW.stream().map(point -> "kill " + point).toList());
    assertThat(passed.subList(0, armed)).contains("halt spawn.begin", "halt spawn.prepared");
    assertThat(passed.subList(posted, passed.size())).contains("halt spawn.published");
  }

  @Test
  @DisplayName("E2: every native call has a kill point before and after it")
  void e2_everyNativeCall_hasAKillPointBeforeAndAfter(ExecScope scope, Marker marker) {
    List<String> passed = pointsOfOneSpawn(scope, marker);
    assertThat(passed).filteredOn(point -> point.startsWith("kill libc.")).hasSizeGreaterThan(60);
    for (int i = 0; i < passed.size(); i++) {
      if (passed.get(i).endsWith(".before")) {
        assertThat(passed.get(i + 1)).isEqualTo(passed.get(i).replace(".before", ".after"));
      }
    }
    for (var method : dev.holdfast.exec.libc.Libc.class.getMethods()) {
      assertThat(KillPoint.all())
          .extracting(KillPoint::name)
          .contains("libc." + method.getName() + ".before", "libc." + method.getName() + ".after");
    }
  }

  private static List<String> pointsOfOneSpawn(ExecScope scope, Marker marker) {
    Thread me = Thread.currentThread();
    List<String> passed = new ArrayList<>();
    try (var points = Native.intercept(KillPointLibc::around)) {
      assertThat(points).isNotNull();
      HaltPoint.inject(point -> note(me, passed, "halt " + point));
      KillPoint.inject(point -> note(me, passed, "kill " + point));
      scope.spawn(sleeper(marker));
    } finally {
      HaltPoint.inject(null);
      KillPoint.inject(null);
    }
    return passed;
  }

  private static void note(Thread whose, List<String> passed, String point) {
    if (Thread.currentThread() == whose) {
      passed.add(point);
    }
  }

  static Stream<String> window() {
    return WINDOW.stream();
  }

  @ParameterizedTest
  @MethodSource("window")
  @DisplayName("E2: a halt between arming and publication is kept, and ends the child by itself")
  void e2_haltBetweenArmAndPublish_isKept(
      String point, ExecScope scope, Marker marker, Census census) throws Exception {
    Thread me = Thread.currentThread();
    AtomicReference<@Nullable Thread> halter = new AtomicReference<>();
    List<String> passed = new ArrayList<>();
    try (var points = Native.intercept(KillPointLibc::around)) {
      assertThat(points).isNotNull();
      KillPoint.inject(
          at -> {
            note(me, passed, at.name());
            boolean inWindow = passed.contains("spawn.armed");
            if (inWindow && at.name().equals(point) && Thread.currentThread() == me) {
              halter.compareAndSet(null, haltedElsewhere(scope));
            }
          });
      assertThatThrownBy(() -> scope.spawn(sleeper(marker)))
          .isInstanceOfSatisfying(
              ExecException.class,
              e -> assertThat(e.reason()).isEqualTo(ExecException.Reason.SCOPE_HALTED));
    } finally {
      KillPoint.inject(null);
    }
    assertThat(halter.get()).as("the halt at %s", point).isNotNull();
    assertThat(scope.awaitProcesses(Duration.ofSeconds(20))).isTrue();
    census.assertNone();
  }

  private static Thread haltedElsewhere(ExecScope scope) {
    Thread halter = Thread.ofPlatform().daemon().name("halter").start(scope::halt);
    try {
      halter.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return halter;
  }

  @Test
  @DisplayName("E2: between arming and publication nothing is allocated")
  void e2_betweenArmAndPublish_allocatesNothing(ExecScope scope, Marker marker) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Thread me = Thread.currentThread();
    AtomicLong before = new AtomicLong();
    AtomicLong least = new AtomicLong(Long.MAX_VALUE);
    KillPoint.inject(
        point -> {
          if (Thread.currentThread() != me) {
            return;
          }
          if (point.name().equals("spawn.armed")) {
            before.set(threads.getCurrentThreadAllocatedBytes());
          } else if (point.name().equals("spawn.posted")) {
            long used = threads.getCurrentThreadAllocatedBytes() - before.get();
            least.accumulateAndGet(used, Math::min);
          }
        });
    try {
      for (int i = 0; i < 200 && least.get() > 0; i++) {
        scope.spawn(Command.of("/bin/true").env(marker.environment()));
      }
    } finally {
      KillPoint.inject(null);
    }
    assertThat(least.get()).isZero();
  }

  @Test
  @DisplayName("E3: a halted scope starts nothing, not even a placeholder")
  void e3_haltedScope_spawnIsRefusedAndNothingForked(ExecScope scope, Marker marker) {
    scope.halt();
    Thread me = Thread.currentThread();
    try (var tap = NativeTap.recording(thread -> thread == me)) {
      assertRefused(() -> scope.spawn(sleeper(marker)));
      assertRefused(() -> scope.run(sleeper(marker)));
      assertThat(tap.calls())
          .extracting(NativeTap.Call::method)
          .doesNotContain("posix_spawn", "clone");
    }
  }

  @Test
  @DisplayName("E3: a closed scope starts nothing")
  void e3_closedScope_spawnIsRefusedAndNothingForked(ExecScope scope, Marker marker) {
    scope.close();
    try (var tap = NativeTap.recording(thread -> true)) {
      assertRefused(() -> scope.spawn(sleeper(marker)));
      assertThat(tap.calls()).extracting(NativeTap.Call::method).doesNotContain("posix_spawn");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"spawn.begin", "spawn.prepared"})
  @DisplayName("E3: a halt before the spawn creates no process")
  void e3_haltBeforeArm_noProcess(String point, ExecScope scope, Marker marker) {
    Thread me = Thread.currentThread();
    var halt = Injection.HALT.on(Injection.Target.ownedHere(scope::halt));
    try (var tap = NativeTap.recording(thread -> thread == me);
        var injector = HaltInjector.at(point, 1, halt)) {
      assertRefused(() -> scope.spawn(sleeper(marker)));
      assertThat(injector.fired()).isPresent();
      assertThat(tap.calls()).extracting(NativeTap.Call::method).doesNotContain("posix_spawn");
    }
  }

  @Test
  @DisplayName("E3: a halt in the pause of a retried spawn ends the retries")
  void e3_haltInThePause_noFurtherAttempt(ExecScope scope, Marker marker) {
    List<String> calls = Collections.synchronizedList(new ArrayList<>());
    var halt = Injection.HALT.on(Injection.Target.ownedHere(scope::halt));
    try (var tap =
            NativeTap.refusing(
                thread -> true,
                call -> call.method().equals("posix_spawn") && calls.add(call.method()),
                dev.holdfast.exec.libc.Errno.ETXTBSY);
        var injector = HaltInjector.at("spawn.pause", 1, halt)) {
      assertRefused(() -> scope.spawn(sleeper(marker)));
      assertThat(injector.fired()).isPresent();
      assertThat(tap.struck()).isEqualTo(1);
    }
  }

  private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable spawn) {
    assertThatThrownBy(spawn)
        .isInstanceOfSatisfying(
            ExecException.class,
            e -> assertThat(e.reason()).isEqualTo(ExecException.Reason.SCOPE_HALTED));
  }
}
