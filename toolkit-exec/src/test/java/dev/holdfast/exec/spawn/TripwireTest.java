package dev.holdfast.exec.spawn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.exec.libc.Child;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.FaultyLibc;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.Native;
import dev.holdfast.exec.libc.OpenFds;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TripwireTest {
  private static final int F_GETFL = 3;
  private static final int O_RDONLY = 0;
  private static final int O_WRONLY = 1;

  private static final String[] CLOSES_ITS_WIRE = {
    "/bin/bash", "-c", "exec 100>&-; exec 3>&1; sleep 300; :"
  };
  private static final String[] LEAVES_ITS_GROUP = {"/usr/bin/setsid", "sleep", "300"};

  @Test
  void probe_thisKernel_fires() {
    assertThat(TripwireProbe.probe()).isTrue();
    assertThat(TripwireProbe.works()).isTrue();
  }

  @Test
  void probe_successFaked_isNotBelieved() {
    var fds = OpenFds.list();
    try (var sandbox = Native.intercept(FakeFcntl::around)) {
      assertThat(sandbox).isNotNull();
      assertThat(TripwireProbe.probe()).isFalse();
    }
    assertThat(OpenFds.list()).isEqualTo(fds);
  }

  @Test
  void prepare_descriptors_areOrderedAndClosedAgain() {
    Tripwire.prepare().close();
    var before = OpenFds.list();
    var wire = Tripwire.prepare();
    var ends = OpenFds.list();
    ends.removeAll(before);
    assertThat(ends).hasSize(4);
    assertThat(ends.first()).isGreaterThanOrEqualTo(Fds.FIRST_OURS);
    var pipes = ends.stream().collect(Collectors.groupingBy(TripwireTest::target));
    assertThat(pipes).hasSize(2);
    for (var pipe : pipes.values()) { // in ascending order
      assertThat(accessMode(pipe.getFirst())).isEqualTo(O_RDONLY);
      assertThat(accessMode(pipe.getLast())).isEqualTo(O_WRONLY);
    }
    wire.disarmAndClose();
    wire.disarmAndClose();
    assertThat(OpenFds.list()).isEqualTo(before);
  }

  @Test
  void fd07_prepare_anyCallFails_leavesNothing() {
    Tripwire.prepare().close();
    var before = OpenFds.list();
    var failures = 0;
    for (var nth = 1; ; nth++) {
      try (var fault = FaultyLibc.errno(FaultyLibc.ANY, nth, Errno.EMFILE)) {
        Tripwire wire = null;
        try {
          wire = Tripwire.prepare();
        } catch (ErrnoException e) {
          assertThat(e.errno()).isEqualTo(Errno.EMFILE);
          failures++;
        }
        if (wire != null) {
          var struck = fault.struck();
          wire.close();
          if (!struck) {
            break;
          }
        }
      }
      assertThat(nth).isLessThan(30);
    }
    assertThat(failures).isGreaterThan(7);
    assertThat(OpenFds.list().size()).isBetween(before.size(), before.size() + 1);
  }

  @Test
  void prepareAndClose_errorAtAnyCall_leavesNothing() {
    Tripwire.prepare().close();
    var before = OpenFds.list();
    for (var nth = 1; ; nth++) {
      Tripwire wire = null;
      boolean struck;
      try (var fault = FaultyLibc.error(FaultyLibc.ANY, nth, OutOfMemoryError::new)) {
        try {
          wire = Tripwire.prepare();
          wire.close();
        } catch (OutOfMemoryError e) {
          assertThat(fault.struck()).isTrue();
        }
        struck = fault.struck();
      }
      if (wire != null) {
        wire.close();
      }
      assertThat(OpenFds.list()).as("call %d", nth).isEqualTo(before);
      if (!struck) {
        break;
      }
    }
  }

  @Test
  void pid07_arm_initBroadcastOrOurselves_isRefused() {
    try (var wire = Tripwire.prepare()) {
      for (var id : List.of(0, -1, 1, (int) ProcessHandle.current().pid(), ownGroup())) {
        assertThatIllegalArgumentException().isThrownBy(() -> wire.armGroup(id));
        assertThatIllegalArgumentException().isThrownBy(() -> wire.armLeader(id));
      }
    }
  }

  @Test
  void arm_nobodyThere_isEsrch() {
    try (var wire = Tripwire.prepare()) {
      assertThat(wire.armGroup(4_000_001)).isEqualTo(-Errno.ESRCH);
    }
  }

  @Test
  void disarmAndClose_member_livesOn() {
    var wire = Tripwire.prepare();
    var pid = spawnArmed(wire);
    wire.disarmAndClose();
    var again = Tripwire.prepare();
    again.close();
    assertThat(isLive(pid)).isTrue();
    Signals.kill(pid, Signals.KILL);
    assertThat(Waits.reapBlocking(pid)).isEqualTo(pid);
  }

  @Test
  void disarm_failing_wouldFire() {
    var wire = Tripwire.prepare();
    var pid = spawnArmed(wire);
    try (var fault = FaultyLibc.errno("fcntl", 1, Errno.EPERM)) {
      wire.disarmAndClose();
      assertThat(fault.struck()).isTrue();
    }
    assertThat(Waits.reapBlocking(pid)).isEqualTo(pid);
  }

  @Test
  void orph01_ownerKilled_childGoes() throws Exception {
    assertThat(survives("none", "/bin/sh", "-c", "trap '' TERM HUP; sleep 300; :")).isFalse();
  }

  @Test
  void orph19_childClosesItsWire_goesByTheKeptReadEnd() throws Exception {
    assertThat(survives("none", CLOSES_ITS_WIRE)).isFalse();
    assertThat(survives("KEPT_READ_END", CLOSES_ITS_WIRE)).isTrue();
  }

  @Test
  void orph21_leaderMakesItsOwnGroup_goesByTheSecondReadEnd() throws Exception {
    assertThat(survives("none", LEAVES_ITS_GROUP)).isFalse();
    assertThat(survives("LEADER_READ_END", LEAVES_ITS_GROUP)).isTrue();
  }

  private static int accessMode(int fd) {
    return Native.libc().fcntl(fd, F_GETFL, 0) & 3;
  }

  private static String target(int fd) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int ownGroup() {
    return Native.libc().getpgid(0);
  }

  private static boolean isLive(int pid) {
    var stat = ProcStat.read(pid);
    return stat != null && !stat.isDead();
  }

  private static int spawnArmed(Tripwire wire) {
    var placeholder = (Placeholder) Placeholder.create();
    try {
      assertThat(wire.armGroup(placeholder.pid())).isZero();
      var pid =
          Child.spawn(
              Fds.devNull(),
              placeholder.pid(),
              builder -> builder.wire(wire.childEnd(), Tripwire.CHILD_FD),
              "/bin/sleep",
              "300");
      assertThat(wire.armLeader(pid)).isZero();
      return pid;
    } finally {
      placeholder.reap();
    }
  }

  /** Kills an owner; tells whether its child, once it is what it will be, is still there. */
  private static boolean survives(String coversOut, String... command) throws Exception {
    Native.libc(); // not while the victim's end is timed
    var argv = new ArrayList<String>();
    argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    argv.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            WireVictim.class.getName(),
            coversOut));
    argv.addAll(List.of(command));
    var victim = new ProcessBuilder(argv).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var lines = victim.inputReader(UTF_8)) {
      var line = lines.readLine();
      assertThat(line).startsWith("child ");
      var pid = Integer.parseInt(line.substring("child ".length()));
      awaitSettled(pid, command);
      victim.destroyForcibly().waitFor();
      try {
        Awaitility.await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(2))
            .atMost(Duration.ofSeconds(4))
            .until(() -> !isLive(pid));
        return false;
      } catch (org.awaitility.core.ConditionTimeoutException e) {
        return true;
      } finally {
        endStray(pid);
      }
    } finally {
      victim.destroyForcibly();
    }
  }

  /** The wire is closed, or the group left, before the owner dies. */
  private static void awaitSettled(int pid, String[] command) {
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(
            () -> {
              if (command == CLOSES_ITS_WIRE) {
                return !Path.of("/proc/" + pid + "/fd/100").toFile().exists();
              }
              var stat = ProcStat.read(pid);
              return stat == null || command != LEAVES_ITS_GROUP || stat.pgrp() == pid;
            });
  }

  private static void endStray(int pid) {
    var stat = ProcStat.read(pid);
    if (stat != null && stat.pgrp() != ownGroup()) {
      Signals.killGroup(stat.pgrp(), Signals.KILL);
    }
  }
}
