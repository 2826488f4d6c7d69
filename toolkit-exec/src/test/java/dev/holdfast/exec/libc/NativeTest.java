package dev.holdfast.exec.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.scope.KillPoint;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class NativeTest {
  @Test
  void libc_everyMethod_isASymbolOfTheLibrary() {
    var raw = Native.libc();
    assertThat(Libc.class.getMethods()).hasSizeGreaterThan(40);
    for (var method : Libc.class.getMethods()) {
      assertThat(raw.dlsym(0, method.getName())).as(method.getName()).isNotZero();
    }
  }

  @Test
  void libc_noMethod_hasSixPrimitives() {
    assertThat(Libc.class.getMethods())
        .noneMatch(
            method ->
                method.getParameterCount() > 5
                    && Arrays.stream(method.getParameterTypes()).allMatch(Class::isPrimitive));
  }

  @Test
  void libc_wideCall_passesEveryArgument() {
    var address = NativeBlock.allocate(4096);
    address.putBytes(0, Child.utf8("/proc/self/status"), 0, 17);
    var stat = NativeBlock.allocate(256);
    assertThat(Native.libc().statx(-100, address.address(), 0, 1, stat.address())).isZero();
    assertThat(Native.libc().statx(-100, address.address(), 0, 1, 0)).isEqualTo(-1);
    assertThat(Errno.last()).isEqualTo(jnr.constants.platform.Errno.EFAULT.intValue());
  }

  @Test
  void intercept_wrapped_isUsedUntilClosed() {
    var raw = Native.libc();
    try (var fault = FaultyLibc.errno("getpgid", 1, Errno.EPERM)) {
      assertThat(Native.libc()).isNotSameAs(raw);
      assertThat(Native.libc().getpgid(0)).isEqualTo(-1);
      assertThat(Errno.last()).isEqualTo(Errno.EPERM);
      assertThat(fault.struck()).isTrue();
      assertThat(Native.libc().getpgid(0)).isPositive();
    }
    assertThat(Native.libc()).isSameAs(raw);
  }

  @Test
  void faulty_error_isThrownByTheNthCall() {
    try (var fault = FaultyLibc.error("close", 2, OutOfMemoryError::new)) {
      assertThat(Fds.close(-1)).isEqualTo(-Errno.EBADF);
      assertThat(fault.struck()).isFalse();
      assertThatThrownBy(() -> Fds.close(-1)).isInstanceOf(OutOfMemoryError.class);
    }
  }

  @Test
  void faulty_spawnFamily_returnsTheErrorNumber() {
    try (var fault = FaultyLibc.errno("posix_spawn_file_actions_adddup2", 3, Errno.ENOMEM)) {
      assertThatThrownBy(() -> Child.call(Fds.devNull(), builder -> builder, "/bin/true"))
          .isInstanceOfSatisfying(
              ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
          .hasMessage(
              "posix_spawn_file_actions_adddup2 was refused: ENOMEM (Cannot allocate memory).");
      assertThat(fault.struck()).isTrue();
    }
  }

  @Test
  void killPoints_aroundACall_keepTheErrorNumber() {
    var passed = new ArrayList<String>();
    var me = Thread.currentThread();
    try (var interception = Native.intercept(KillPointLibc::around)) {
      assertThat(interception).isNotNull();
      KillPoint.inject(
          point -> {
            if (Thread.currentThread() == me && passed.size() < 2) {
              passed.add(point.name());
              Fds.isOpen(0);
            }
          });
      assertThat(Fds.close(-1)).isEqualTo(-Errno.EBADF);
    } finally {
      KillPoint.inject(null);
    }
    assertThat(passed).containsExactly("libc.close.before", "libc.fcntl.before");
  }

  @Test
  void killPoints_afterACall_keepTheErrorNumber() {
    try (var interception = Native.intercept(KillPointLibc::around)) {
      assertThat(interception).isNotNull();
      KillPoint.inject(
          point -> {
            if (point.name().equals("libc.close.after")) {
              Native.libc().getpgid(-5);
            }
          });
      assertThat(Fds.close(-1)).isEqualTo(-Errno.EBADF);
    } finally {
      KillPoint.inject(null);
    }
  }

  @Test
  void errno_knownAndUnknown_areNamed() {
    assertThat(Errno.name(Errno.ESRCH)).isEqualTo("ESRCH");
    assertThat(Errno.name(4711)).isEqualTo("errno 4711");
    assertThat(Errno.describe(Errno.ENOENT)).isEqualTo("ENOENT (No such file or directory)");
    assertThat(Errno.describe(4711)).isEqualTo("errno 4711");
  }

  @Test
  void hotCalls_afterWarmUp_allocateNothing() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    var event = EventFd.create();
    var epoll = Epoll.create();
    var scratch = NativeBlock.allocate(Epoll.SCRATCH_BYTES);
    var events = Epoll.events(4);
    var block = NativeBlock.allocate(Waits.BLOCK_BYTES);
    try (var call = Child.call(Fds.devNull(), builder -> builder, "/nonexistent")) {
      Runnable all =
          () -> {
            event.signal();
            epoll.add(event.fd(), Epoll.IN, 7, scratch);
            epoll.await(events, 4, 0);
            epoll.modify(event.fd(), Epoll.IN | Epoll.ONE_SHOT, 8, scratch);
            epoll.delete(event.fd());
            event.drain();
            Fds.read(event.fd(), block, 8, 8);
            Waits.peekExit(Signals.OWN_PID, block);
            Waits.reap(4_000_000, block);
            Waits.reapGroupZombies(4_000_000);
            Signals.killGroup(4_000_000, Signals.PROBE);
            Signals.pidfdSignalGroup(event.fd(), Signals.PROBE);
            call.run();
          };
      for (var i = 0; i < 200; i++) {
        all.run();
      }
      var least = Long.MAX_VALUE;
      for (var round = 0; round < 20 && least > 0; round++) {
        var before = threads.getCurrentThreadAllocatedBytes();
        var twice = threads.getCurrentThreadAllocatedBytes();
        all.run();
        var after = threads.getCurrentThreadAllocatedBytes();
        least = Math.min(least, after - twice - (twice - before));
      }
      assertThat(least).isZero();
    } finally {
      epoll.close();
      event.close();
    }
  }
}
