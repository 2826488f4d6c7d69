package dev.holdfast.exec.libc;

/** A counter that wakes an epoll wait (eventfd(2)). */
public final class EventFd {
  private static final int NON_BLOCKING = Fds.O_NONBLOCK | Fds.O_CLOEXEC;

  private final int fd;
  private final NativeBlock one = NativeBlock.allocate(8);
  private final NativeBlock count = NativeBlock.allocate(8);

  private EventFd(int fd) {
    this.fd = fd;
    one.putLong(0, 1);
  }

  /**
   * Makes a counter, at zero, non-blocking.
   *
   * @return the counter
   * @throws ErrnoException if it was refused
   */
  public static EventFd create() {
    var fd = Errno.outcome(Native.libc().eventfd(0, NON_BLOCKING));
    if (fd < 0) {
      throw new ErrnoException("eventfd", -fd);
    }
    return new EventFd(fd);
  }

  /**
   * The descriptor, readable while the counter is not zero.
   *
   * @return the descriptor
   */
  public int fd() {
    return fd;
  }

  /** Wakes the waiter. Any thread; takes no lock, allocates nothing, never blocks. */
  public void signal() {
    Fds.write(fd, one, 0, 8);
  }

  /** Sets the counter to zero. The waiter alone. */
  public void drain() {
    Fds.read(fd, count, 0, 8);
  }

  /** Closes the counter. */
  public void close() {
    Fds.close(fd);
  }
}
