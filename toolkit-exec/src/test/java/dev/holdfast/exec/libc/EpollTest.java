package dev.holdfast.exec.libc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EpollTest {
  private final Epoll epoll = Epoll.create();
  private final NativeBlock scratch = NativeBlock.allocate(Epoll.SCRATCH_BYTES);
  private final NativeBlock events = Epoll.events(8);

  @AfterEach
  void closeEpoll() {
    epoll.close();
  }

  @Test
  void await_severalReady_givesEachItsToken() {
    var a = EventFd.create();
    var b = EventFd.create();
    assertThat(epoll.add(a.fd(), Epoll.IN, -1L, scratch)).isZero();
    assertThat(epoll.add(b.fd(), Epoll.IN, 0x0123456789abcdefL, scratch)).isZero();
    assertThat(epoll.add(b.fd(), Epoll.IN, 1, scratch)).isEqualTo(-Errno.EEXIST);
    assertThat(epoll.await(events, 8, 0)).isZero();
    a.signal();
    b.signal();
    b.signal();
    assertThat(epoll.await(events, 8, -1)).isEqualTo(2);
    assertThat(new long[] {Epoll.token(events, 0), Epoll.token(events, 1)})
        .containsExactlyInAnyOrder(-1L, 0x0123456789abcdefL);
    assertThat(Epoll.event(events, 0)).isEqualTo(Epoll.IN);
    a.drain();
    b.drain();
    assertThat(epoll.await(events, 8, 0)).isZero();
    a.close();
    b.close();
  }

  @Test
  void oneShot_firedOnce_isSilentUntilModified() {
    var event = EventFd.create();
    event.signal();
    epoll.add(event.fd(), Epoll.IN | Epoll.ONE_SHOT, 5, scratch);
    assertThat(epoll.await(events, 8, 0)).isEqualTo(1);
    assertThat(epoll.await(events, 8, 0)).isZero();
    assertThat(epoll.modify(event.fd(), Epoll.IN | Epoll.ONE_SHOT, 6, scratch)).isZero();
    assertThat(epoll.await(events, 8, 0)).isEqualTo(1);
    assertThat(Epoll.token(events, 0)).isEqualTo(6);
    assertThat(epoll.delete(event.fd())).isZero();
    assertThat(epoll.delete(event.fd())).isEqualTo(-Errno.ENOENT);
    event.close();
  }

  @Test
  void pidfd_childEnds_isReadable() {
    var pid = Child.spawn(Fds.devNull(), 0, builder -> builder, "/bin/true");
    var pidfd = Signals.pidfdOpen(pid);
    epoll.add(pidfd, Epoll.IN | Epoll.ONE_SHOT, pid, scratch);
    assertThat(epoll.await(events, 8, 20_000)).isEqualTo(1);
    assertThat(Epoll.token(events, 0)).isEqualTo(pid);
    assertThat(Waits.peekExit(pid, NativeBlock.allocate(Waits.BLOCK_BYTES)))
        .isEqualTo(Waits.EXITED);
    epoll.delete(pidfd);
    Fds.close(pidfd);
    Waits.reapBlocking(pid);
  }
}
