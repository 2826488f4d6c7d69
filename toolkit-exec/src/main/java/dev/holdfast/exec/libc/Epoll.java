package dev.holdfast.exec.libc;

import org.jspecify.annotations.Nullable;

/**
 * One epoll instance. After construction nothing here allocates. A descriptor is taken out with
 * {@link #delete} before it is closed: a child that has not yet exec'd keeps the description alive,
 * and with it the registration (epoll(7), "Will closing a file descriptor cause it to be removed").
 */
public final class Epoll {
  /** There is something to read, or the end. */
  public static final int IN = 0x1;

  /** There is room to write. */
  public static final int OUT = 0x4;

  /** The reader of this pipe is gone, or it failed; always watched. */
  public static final int ERR = 0x8;

  /** The peer is gone; always watched. */
  public static final int HUP = 0x10;

  /** The peer writes no more. */
  public static final int RDHUP = 0x2000;

  /** One event, then silence until it is modified. */
  public static final int ONE_SHOT = 1 << 30;

  /** Events on changes alone. */
  public static final int EDGE = 1 << 31;

  /** Bytes of a scratch block for {@link #add} and {@link #modify}. */
  public static final int SCRATCH_BYTES = 16;

  private static final int CTL_ADD = 1;
  private static final int CTL_DEL = 2;
  private static final int CTL_MOD = 3;

  // struct epoll_event is packed on x86-64 alone (sys/epoll.h, EPOLL_PACKED).
  private static final boolean PACKED = System.getProperty("os.arch", "").equals("amd64");
  private static final int EVENT_BYTES = PACKED ? 12 : 16;
  private static final int TOKEN_OFFSET = PACKED ? 4 : 8;

  private final int fd;

  private Epoll(int fd) {
    this.fd = fd;
  }

  /**
   * Makes an instance.
   *
   * @return the instance, its descriptor close-on-exec
   * @throws ErrnoException if it was refused
   */
  public static Epoll create() {
    var fd = Errno.outcome(Native.libc().epoll_create1(Fds.O_CLOEXEC));
    if (fd < 0) {
      throw new ErrnoException("epoll_create1", -fd);
    }
    return new Epoll(fd);
  }

  /**
   * Allocates room for the events of one {@link #await}.
   *
   * @param max how many events
   * @return the block
   */
  public static NativeBlock events(int max) {
    return NativeBlock.allocate((long) max * EVENT_BYTES);
  }

  /**
   * The epoll descriptor itself.
   *
   * @return the descriptor
   */
  public int fd() {
    return fd;
  }

  /**
   * Registers a descriptor. Any thread.
   *
   * @param target the descriptor
   * @param events a union of the constants here
   * @param token comes back with each event
   * @param scratch {@link #SCRATCH_BYTES} that nobody else uses during the call
   * @return 0 or a negated error number
   */
  public int add(int target, int events, long token, NativeBlock scratch) {
    return control(CTL_ADD, target, events, token, scratch);
  }

  /**
   * Changes a registration. Any thread.
   *
   * @param target the descriptor
   * @param events a union of the constants here
   * @param token comes back with each event
   * @param scratch {@link #SCRATCH_BYTES} that nobody else uses during the call
   * @return 0 or a negated error number
   */
  public int modify(int target, int events, long token, NativeBlock scratch) {
    return control(CTL_MOD, target, events, token, scratch);
  }

  /**
   * Takes a registration out. Any thread.
   *
   * @param target the descriptor
   * @return 0 or a negated error number
   */
  public int delete(int target) {
    return control(CTL_DEL, target, 0, 0, null);
  }

  /**
   * Waits for events.
   *
   * @param events from {@link #events}, at least {@code max} long
   * @param max how many at most
   * @param timeoutMillis milliseconds, 0 to look only, -1 for no limit
   * @return how many came, 0 when the time was up, or a negated error number, {@code EINTR} among
   *     them
   */
  public int await(NativeBlock events, int max, int timeoutMillis) {
    var n = Errno.outcome(Native.libc().epoll_wait(fd, events.address(), max, timeoutMillis));
    events.keep();
    return n;
  }

  /**
   * What happened, of one event.
   *
   * @param events the block that {@link #await} filled
   * @param index from 0
   * @return a union of the constants here
   */
  public static int event(NativeBlock events, int index) {
    return events.getInt((long) index * EVENT_BYTES);
  }

  /**
   * To whom it happened.
   *
   * @param events the block that {@link #await} filled
   * @param index from 0
   * @return the token of the registration
   */
  public static long token(NativeBlock events, int index) {
    return events.getLong((long) index * EVENT_BYTES + TOKEN_OFFSET);
  }

  /** Closes the instance. */
  public void close() {
    Fds.close(fd);
  }

  private int control(int op, int target, int events, long token, @Nullable NativeBlock scratch) {
    if (scratch != null) {
      scratch.putInt(0, events);
      scratch.putLong(TOKEN_OFFSET, token);
    }
    var event = scratch == null ? 0 : scratch.address();
    var rc = Errno.outcome(Native.libc().epoll_ctl(fd, op, target, event));
    if (scratch != null) {
      scratch.keep();
    }
    return rc;
  }
}
