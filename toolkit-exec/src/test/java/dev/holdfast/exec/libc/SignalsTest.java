package dev.holdfast.exec.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SignalsTest {
  static IntStream refused() {
    return IntStream.of(
        Integer.MIN_VALUE,
        -Signals.OWN_PID,
        -1,
        0,
        1,
        Signals.OWN_PID,
        Native.libc().getpgid(0),
        Native.libc().getpgid(0));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void r10_killGroup_ofInitBroadcastOrOurselves_neverReachesTheKernel(int id) {
    try (var fault = FaultyLibc.errno("kill", 1, Errno.EPERM)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Signals.killGroup(id, Signals.PROBE))
          .withMessageContaining(Integer.toString(id));
      assertThatIllegalArgumentException().isThrownBy(() -> Waits.reapGroupZombies(id));
      assertThat(fault.struck()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("refused")
  void r10_kill_ofInitBroadcastOrOurselves_neverReachesTheKernel(int id) {
    if (id > 1 && id != Signals.OWN_PID) {
      return; // the leader of our group is somebody else
    }
    try (var fault = FaultyLibc.errno("kill", 1, Errno.EPERM)) {
      assertThatIllegalArgumentException().isThrownBy(() -> Signals.kill(id, Signals.PROBE));
      assertThat(fault.struck()).isFalse();
    }
  }

  @Test
  void killGroup_nobodyThere_isEsrch() {
    assertThat(Signals.killGroup(4_000_001, Signals.PROBE)).isEqualTo(-Errno.ESRCH);
  }

  @Test
  void pidfdSignal_child_endsIt() {
    var pid = Child.spawn(Fds.devNull(), 0, builder -> builder, "/bin/sleep", "300");
    var pidfd = Signals.pidfdOpen(pid);
    assertThat(Signals.pidfdSignal(pidfd, Signals.PROBE)).isZero();
    assertThat(Signals.pidfdSignal(pidfd, Signals.KILL)).isZero();
    assertThat(Waits.reapBlocking(pid)).isEqualTo(pid);
    assertThat(Signals.pidfdSignal(pidfd, Signals.KILL)).isEqualTo(-Errno.ESRCH);
    Fds.close(pidfd);
  }

  @Test
  void r37_pidfdSignalGroup_leaderReaped_reachesMembersThenEsrch() {
    org.junit.jupiter.api.Assumptions.assumeTrue(Signals.hasGroupSignals());
    var leader = Child.spawn(Fds.devNull(), 0, builder -> builder, "/bin/sleep", "300");
    var member = Child.spawn(Fds.devNull(), leader, builder -> builder, "/bin/sleep", "300");
    var pidfd = Signals.pidfdOpen(leader);
    Signals.kill(leader, Signals.KILL);
    Waits.reapBlocking(leader);

    assertThat(Signals.pidfdSignalGroup(pidfd, Signals.PROBE)).isZero();
    assertThat(Signals.pidfdSignalGroup(pidfd, Signals.KILL)).isZero();
    assertThat(Waits.reapBlocking(member)).isEqualTo(member);
    assertThat(Signals.pidfdSignalGroup(pidfd, Signals.KILL)).isEqualTo(-Errno.ESRCH);
    Fds.close(pidfd);
  }

  @Test
  void e8_probe_groupOfZombies_isNoProofOfLife() {
    var leader = Child.spawn(Fds.devNull(), 0, builder -> builder, "/bin/true");
    var block = NativeBlock.allocate(Waits.BLOCK_BYTES);
    while (Waits.peekExit(leader, block) == Waits.NOT_YET) {
      Thread.onSpinWait();
    }
    assertThat(Signals.killGroup(leader, Signals.PROBE)).isZero();
    assertThat(Waits.reapGroupZombies(leader)).isEqualTo(1);
    assertThat(Signals.killGroup(leader, Signals.PROBE)).isEqualTo(-Errno.ESRCH);
  }
}
