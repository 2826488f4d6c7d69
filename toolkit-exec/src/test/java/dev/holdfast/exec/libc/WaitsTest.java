package dev.holdfast.exec.libc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitsTest {
  private final NativeBlock block = NativeBlock.allocate(Waits.BLOCK_BYTES);

  private static int shell(String script) {
    return Child.spawn(Fds.devNull(), 0, builder -> builder, "/bin/sh", "-c", script);
  }

  private int reapWhenOver(int pid) {
    while (Waits.peekExit(pid, block) == Waits.NOT_YET) {
      Thread.onSpinWait();
    }
    assertThat(Waits.peekExit(pid, block)).isEqualTo(Waits.EXITED);
    assertThat(Waits.reap(pid, block)).isEqualTo(pid);
    return Waits.status(block);
  }

  @Test
  void reap_exited_givesTheCodeAndUsage() {
    var status = reapWhenOver(shell("exit 137"));
    assertThat(Waits.exited(status)).isTrue();
    assertThat(Waits.signaled(status)).isFalse();
    assertThat(Waits.exitCode(status)).isEqualTo(137);
    assertThat(Waits.maxRssKib(block)).isBetween(100L, 1L << 30);
    assertThat(Waits.userMicros(block) + Waits.systemMicros(block)).isBetween(1L, 10_000_000L);
  }

  @Test
  void reap_signaled_givesTheSignal() {
    var status = reapWhenOver(shell("ulimit -c 0; kill -9 $$"));
    assertThat(Waits.exited(status)).isFalse();
    assertThat(Waits.signaled(status)).isTrue();
    assertThat(Waits.signal(status)).isEqualTo(Signals.KILL);
    assertThat(Waits.coreDumped(status)).isFalse();
  }

  @Test
  void coreDumped_bitSet_isTold() {
    assertThat(Waits.coreDumped(0x80 | 11)).isTrue();
    assertThat(Waits.signal(0x80 | 11)).isEqualTo(11);
    assertThat(Waits.signaled(0x7f)).isFalse();
  }

  @Test
  void peekAndReap_running_areNotYet() {
    var pid = shell("exec sleep 300");
    assertThat(Waits.peekExit(pid, block)).isEqualTo(Waits.NOT_YET);
    assertThat(Waits.reap(pid, block)).isZero();
    Signals.kill(pid, Signals.KILL);
    assertThat(Waits.signal(reapWhenOver(pid))).isEqualTo(Signals.KILL);
    assertThat(Waits.peekExit(pid, block)).isEqualTo(-Errno.ECHILD);
    assertThat(Waits.reap(pid, block)).isEqualTo(-Errno.ECHILD);
  }
}
