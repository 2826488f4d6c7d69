package dev.holdfast.exec.spawn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.exec.identity.ProcessTable;
import dev.holdfast.exec.libc.Child;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.FaultyLibc;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.OpenFds;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Threads;
import dev.holdfast.exec.libc.Waits;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceholderTest {
  private static final int OWN_PID = (int) ProcessHandle.current().pid();

  @AfterEach
  void putCoversBack() {
    Cover.takeOut();
  }

  private static Placeholder create() {
    return (Placeholder) Placeholder.create();
  }

  private static List<ProcStat> zombies() {
    return ProcessTable.look().children(OWN_PID).stream().filter(ProcStat::isDead).toList();
  }

  private static long ownMask() {
    var none = NativeBlock.allocate(Threads.SET_BYTES);
    var mask = NativeBlock.allocate(Threads.SET_BYTES);
    Threads.block(none, mask);
    return mask.getLong(0);
  }

  @Test
  void create_leadsAGroupOfItsOwnAndIsDead() {
    var placeholder = create();
    var stat = ProcStat.read(placeholder.pid());
    assertThat(stat).isNotNull();
    assertThat(stat.isDead()).isTrue();
    assertThat(stat.pgrp()).isEqualTo(placeholder.pid());
    assertThat(stat.ppid()).isEqualTo(OWN_PID);
    placeholder.reap();
    placeholder.reap();
    assertThat(ProcStat.read(placeholder.pid())).isNull();
    assertThat(Fds.isOpen(placeholder.pidfd())).isFalse();
  }

  @Test
  void begin_withoutLead_isReaped() {
    var placeholder = (Placeholder) Placeholder.begin();
    placeholder.reap();
    placeholder.reap();
    assertThat(ProcStat.read(placeholder.pid())).isNull();
  }

  @Test
  void group_afterReap_livesOnInItsMember() {
    var placeholder = create();
    var member =
        Child.spawn(Fds.devNull(), placeholder.pid(), builder -> builder, "/bin/sleep", "300");
    var pidfd = placeholder.takePidfd();
    placeholder.reap();
    var stat = ProcStat.read(member);
    assertThat(stat).isNotNull();
    assertThat(stat.pgrp()).isEqualTo(placeholder.pid());
    if (Signals.hasGroupSignals()) {
      assertThat(Signals.pidfdSignalGroup(pidfd, Signals.KILL)).isZero();
    } else {
      Signals.killGroup(placeholder.pid(), Signals.KILL);
    }
    Waits.reapBlocking(member);
    if (Signals.hasGroupSignals()) {
      assertThat(Signals.pidfdSignalGroup(pidfd, Signals.PROBE)).isEqualTo(-Errno.ESRCH);
    }
    Fds.close(pidfd);
  }

  @Test
  void create_onManyThreads_givesEachItsOwn() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var all =
          java.util.stream.IntStream.range(0, 100)
              .mapToObj(i -> threads.submit(PlaceholderTest::create))
              .toList();
      var pids = new java.util.HashSet<Integer>();
      for (var one : all) {
        assertThat(pids.add(one.get().pid())).isTrue();
      }
      for (var one : all) {
        one.get().reap();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"clone", "waitid", "setpgid", "syscall", "pthread_sigmask"})
  void create_callRefused_saysWhichAndLeavesNothing(String call) {
    create().reap();
    var fds = OpenFds.list();
    var zombies = zombies();
    try (var fault = FaultyLibc.errno(call, 1, Errno.EAGAIN)) {
      var attempt = (Placeholder.Refused) Placeholder.create();
      assertThat(attempt.errno()).isEqualTo(Errno.EAGAIN);
      assertThat(attempt.isShortage()).isTrue();
      assertThat(fault.struck()).isTrue();
    }
    assertThat(OpenFds.list()).isEqualTo(fds);
    assertThat(zombies()).isEqualTo(zombies);
  }

  @Test
  void create_errorAtAnyCall_leavesNothing() {
    create().reap();
    var fds = OpenFds.list();
    var zombies = zombies();
    var mask = ownMask();
    for (var nth = 1; ; nth++) {
      Placeholder made = null;
      boolean struck;
      try (var fault = FaultyLibc.error(FaultyLibc.ANY, nth, StackOverflowError::new)) {
        try {
          made = create();
          made.reap();
        } catch (StackOverflowError e) {
          assertThat(fault.struck()).isTrue();
        }
        struck = fault.struck();
      }
      if (made != null) {
        made.reap();
      }
      if (!struck) {
        break;
      }
    }
    assertThat(zombies()).isEqualTo(zombies);
    assertThat(OpenFds.list()).isEqualTo(fds);
    assertThat(ownMask()).isEqualTo(mask);
  }

  @Test
  void refused_bySandbox_isNoShortage() {
    assertThat(new Placeholder.Refused("clone", Errno.EPERM).isShortage()).isFalse();
    assertThat(new Placeholder.Refused("clone", Errno.ENOSYS).isShortage()).isFalse();
  }

  @Test
  void cover_out_refuses() {
    Cover.takeOut(Cover.PLACEHOLDER);
    assertThat(Placeholder.create()).isInstanceOf(Placeholder.Refused.class);
    Cover.takeOut();
    create().reap();
  }

  @Test
  void setpgid_ofOurselves_isRefused() {
    assertThatThrownBy(() -> dev.holdfast.exec.libc.CloneCall.makeGroupLeader(OWN_PID))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
