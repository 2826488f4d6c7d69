package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.exec.libc.Epoll;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.reactor.Entry;
import dev.holdfast.exec.reactor.Reactor;

/**
 * Waits for the end of one member of a tree: as long as it lives, the tree isn't gone. Reactor's
 * thread only.
 */
final class MemberWatch extends Entry {
  private final Runnable onEnd;
  private int pidfd = -1;

  MemberWatch(Runnable onEnd) {
    this.onEnd = onEnd;
  }

  boolean isWatching() {
    return pidfd >= 0;
  }

  /** Watches that process if it is still the one that was seen. */
  void watch(ProcStat member) {
    int fd = openVerified(member);
    if (fd < 0) {
      return;
    }
    Reactor reactor = Reactor.get();
    if (reactor.watch(fd, Epoll.IN, this, reactor.scratch()) < 0) {
      Fds.close(fd);
    } else {
      pidfd = fd;
    }
  }

  /** A pidfd first, then the proof that it is the process that was seen; negative when it isn't. */
  static int openVerified(ProcStat member) {
    int fd = Signals.pidfdOpen(member.pid());
    if (fd < 0) {
      return fd;
    }
    ProcStat now = ProcStat.read(member.pid());
    if (now == null || now.startTicks() != member.startTicks()) {
      Fds.close(fd);
      return -1;
    }
    return fd;
  }

  @Override
  protected void ready(int events) {
    onEnd.run();
    close();
  }

  @Override
  protected void advance(int requests, boolean isDue) {}

  void close() {
    int fd = pidfd;
    if (fd >= 0) {
      Reactor.get().unwatch(fd);
      pidfd = -1;
      Fds.close(fd);
    }
  }
}
