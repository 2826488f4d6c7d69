package dev.holdfast.exec.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.exec.libc.Child;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.FaultyLibc;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Threads;
import dev.holdfast.exec.libc.Waits;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcStatTest {
  private static final int OWN_PID = (int) ProcessHandle.current().pid();
  private static final String REST =
      " 1 4 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 123456789012 9 9\n";

  private static @Nullable ProcStat parse(String line) {
    var bytes = line.getBytes(StandardCharsets.ISO_8859_1);
    return ProcStat.parse(bytes, bytes.length);
  }

  private static ProcStat whenDead(int pid) {
    while (true) {
      var stat = ProcStat.read(pid);
      assertThat(stat).isNotNull();
      if (stat.isDead()) {
        return stat;
      }
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @CsvSource({"sh", "a) Z 9 9 (b", "' '", "''", ")))", "é (x)"})
  void parse_anyCommandName_countsFromTheLastParenthesis(String name) {
    assertThat(parse("42 (" + name + ") S" + REST))
        .isEqualTo(new ProcStat(42, 'S', 1, 4, 5, 3, 123456789012L));
  }

  @ParameterizedTest
  @CsvSource({"''", "42", "42 (sh)", "'42 (sh) '", "42 (sh) S", "42 (sh) S 1 2 3", "'(sh) S 1'"})
  void parse_tornLine_isNull(String line) {
    assertThat(parse(line)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "Z, 1, true",
    "Z, 2, false",
    "X, 1, true",
    "X, 0, true",
    "X, 2, false",
    "S, 1, false",
    "T, 1, false",
    "D, 1, false",
    "R, 1, false"
  })
  void isDead_stateAndThreads_decideTogether(char state, int threads, boolean dead) {
    assertThat(new ProcStat(42, state, 1, 42, 42, threads, 1).isDead()).isEqualTo(dead);
  }

  @Test
  void read_ourselves_isAlive() {
    var own = ProcStat.read(OWN_PID);
    assertThat(own).isNotNull();
    assertThat(own.pid()).isEqualTo(OWN_PID);
    assertThat(own.isDead()).isFalse();
    assertThat(own.numThreads()).isGreaterThan(5);
    assertThat(own.startTicks()).isEqualTo(ProcessIdentityReader.startTicks(OWN_PID));
  }

  @Test
  void zomb03_ownExitedChild_isDead() {
    var pid = Child.spawn(Fds.devNull(), 0, builder -> builder, "/bin/true");
    var stat = whenDead(pid);
    assertThat(stat.state()).isEqualTo('Z');
    assertThat(stat.pgrp()).isEqualTo(pid);
    assertThat(stat.ppid()).isEqualTo(OWN_PID);
    Waits.reapBlocking(pid);
    assertThat(ProcStat.read(pid)).isNull();
    assertThat(ProcessIdentityReader.startTicks(pid)).isEqualTo(-1);
  }

  @Test
  void exit06_leaderEndedThreadLives_isNotDead() {
    var script =
        """
        import ctypes, threading, time
        threading.Thread(target=lambda: time.sleep(300)).start()
        ctypes.CDLL(None).pthread_exit(None)
        """;
    var pid =
        Child.spawn(Fds.devNull(), 0, builder -> builder, "/usr/bin/env", "python3", "-c", script);
    var deadline = System.nanoTime() + 20_000_000_000L;
    var stat = ProcStat.read(pid);
    while (stat != null && stat.state() != 'Z' && System.nanoTime() < deadline) {
      Thread.onSpinWait();
      stat = ProcStat.read(pid);
    }
    assertThat(stat).isNotNull();
    assertThat(stat.state()).isEqualTo('Z');
    assertThat(stat.numThreads()).isEqualTo(2);
    assertThat(stat.isDead()).isFalse();
    assertThat(Waits.peekExit(pid, NativeBlock.allocate(Waits.BLOCK_BYTES)))
        .isEqualTo(Waits.NOT_YET);
    Signals.kill(pid, Signals.KILL);
    assertThat(Waits.reapBlocking(pid)).isEqualTo(pid);
  }

  @Test
  void read_noDescriptorLeft_isAnErrorAndNotAbsence() {
    try (var fault = FaultyLibc.errno("open", 1, Errno.EMFILE)) {
      assertThatThrownBy(() -> ProcStat.read(OWN_PID))
          .isInstanceOfSatisfying(
              ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EMFILE));
      assertThat(fault.struck()).isTrue();
    }
  }

  @Test
  void isProcess_threadId_isNone() throws Exception {
    var id = new int[1];
    var thread = Thread.ofPlatform().start(() -> id[0] = threadProbe());
    thread.join();
    assertThat(id[0]).isEqualTo(1);
    assertThat(ProcessIdentityReader.isProcess(OWN_PID)).isTrue();
    assertThat(ProcessIdentityReader.isProcess(4_000_001)).isFalse();
  }

  /** On a thread that is not the leader: 1 if its id has a stat and yet is no process. */
  private static int threadProbe() {
    var tid = Threads.id();
    return tid != OWN_PID && ProcStat.read(tid) != null && !ProcessIdentityReader.isProcess(tid)
        ? 1
        : 0;
  }

  @Test
  void identity_bootAndNamespace_areThere() {
    assertThat(ProcessIdentityReader.bootId()).matches("[0-9a-f-]{36}");
    assertThat(ProcessIdentityReader.pidNamespace()).isPositive();
  }
}
