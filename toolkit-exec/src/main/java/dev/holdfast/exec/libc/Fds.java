package dev.holdfast.exec.libc;

import java.nio.charset.StandardCharsets;
import jnr.constants.platform.Fcntl;
import jnr.constants.platform.OpenFlags;

/**
 * Descriptors. Every one of ours is born close-on-exec. Calls that set things up throw {@link
 * ErrnoException}; calls on the way of data or of teardown return a negated error number.
 */
public final class Fds {
  /**
   * Descriptors below this are targets in a child, so nothing of ours that a child needs lives
   * there.
   */
  public static final int FIRST_OURS = 10;

  static final int O_CLOEXEC = OpenFlags.O_CLOEXEC.intValue();
  static final int O_NONBLOCK = OpenFlags.O_NONBLOCK.intValue();
  static final int O_ASYNC = OpenFlags.O_ASYNC.intValue();
  static final int F_SETFL = Fcntl.F_SETFL.intValue();

  private static final int F_GETFL = Fcntl.F_GETFL.intValue();
  private static final int F_GETFD = Fcntl.F_GETFD.intValue();
  private static final int F_SETPIPE_SZ = Fcntl.F_SETPIPE_SZ.intValue();
  private static final int F_DUPFD_CLOEXEC = 1030; // linux/fcntl.h, all architectures
  private static final int O_RDONLY = OpenFlags.O_RDONLY.intValue();
  private static final int O_WRONLY = OpenFlags.O_WRONLY.intValue();
  private static final int O_RDWR = OpenFlags.O_RDWR.intValue();
  private static final int O_CREAT = OpenFlags.O_CREAT.intValue();
  private static final int O_TRUNC = OpenFlags.O_TRUNC.intValue();
  private static final int O_APPEND = OpenFlags.O_APPEND.intValue();
  private static final int O_NOCTTY = OpenFlags.O_NOCTTY.intValue();
  private static final int RW_FOR_ALL = 0666; // less the umask

  private static int devNull = -1; // guarded by Fds.class

  private Fds() {}

  /**
   * The two ends of a pipe.
   *
   * @param readEnd the descriptor to read from
   * @param writeEnd the descriptor to write to
   */
  public record Pipe(int readEnd, int writeEnd) {}

  /**
   * Makes a pipe, both ends blocking, close-on-exec and at {@link #FIRST_OURS} or above.
   *
   * @return its ends
   * @throws ErrnoException if a descriptor was refused; nothing is left open then
   */
  public static Pipe pipe() {
    var pair = NativeBlock.allocate(8);
    var rc = Errno.outcome(Native.libc().pipe2(pair.address(), O_CLOEXEC));
    if (rc < 0) {
      throw new ErrnoException("pipe2", -rc);
    }
    int readEnd = pair.getInt(0);
    int writeEnd = pair.getInt(4);
    try {
      readEnd = raise(readEnd, FIRST_OURS);
      writeEnd = raise(writeEnd, FIRST_OURS);
      return new Pipe(readEnd, writeEnd);
    } catch (Throwable t) {
      close(readEnd);
      close(writeEnd);
      throw t;
    }
  }

  /**
   * Moves a descriptor to a number that is at least the given one.
   *
   * @param fd the descriptor; closed if another number took its place
   * @param least the lowest number wanted
   * @return the descriptor to use from now on
   * @throws ErrnoException if that was refused; {@code fd} is still open then
   */
  public static int raise(int fd, int least) {
    if (fd >= least) {
      return fd;
    }
    var raised = dupAtLeast(fd, least);
    try {
      close(fd);
      return raised;
    } catch (Throwable t) {
      close(raised);
      throw t;
    }
  }

  /**
   * Duplicates a descriptor (same open file description), close-on-exec.
   *
   * @param fd the descriptor
   * @param least the lowest number wanted
   * @return the new descriptor
   * @throws ErrnoException if that was refused
   */
  public static int dupAtLeast(int fd, int least) {
    var dup = Errno.outcome(Native.libc().fcntl(fd, F_DUPFD_CLOEXEC, least));
    if (dup < 0) {
      throw new ErrnoException("fcntl(F_DUPFD_CLOEXEC)", -dup);
    }
    return dup;
  }

  /**
   * Opens a file for reading. A FIFO without a writer reads as empty instead of blocking the open.
   *
   * @param path the path as bytes
   * @return the descriptor, in blocking mode, at {@link #FIRST_OURS} or above
   * @throws ErrnoException if that was refused
   */
  public static int openRead(byte[] path) {
    return openBlocking(path, O_RDONLY);
  }

  /**
   * Opens a file for writing; it is created or emptied. A FIFO without a reader is refused with
   * {@code ENXIO} instead of blocking the open.
   *
   * @param path the path as bytes
   * @return the descriptor, in blocking mode, at {@link #FIRST_OURS} or above
   * @throws ErrnoException if that was refused
   */
  public static int openWrite(byte[] path) {
    return openBlocking(path, O_WRONLY | O_CREAT | O_TRUNC);
  }

  /**
   * Opens a file for writing at its end; it is created if it is not there. A FIFO without a reader
   * is refused with {@code ENXIO} instead of blocking the open.
   *
   * @param path the path as bytes
   * @return the descriptor, in blocking mode, at {@link #FIRST_OURS} or above
   * @throws ErrnoException if that was refused
   */
  public static int openAppend(byte[] path) {
    return openBlocking(path, O_WRONLY | O_CREAT | O_APPEND);
  }

  /**
   * The null device, opened once for reading and writing and never closed.
   *
   * @return the descriptor, at {@link #FIRST_OURS} or above
   * @throws ErrnoException if it can't be opened
   */
  public static synchronized int devNull() {
    if (devNull < 0) {
      devNull = raiseOrClose(openOrThrow("/dev/null".getBytes(StandardCharsets.US_ASCII), O_RDWR));
    }
    return devNull;
  }

  /**
   * Opens a file; the caller says how. The call is repeated after a signal.
   *
   * @param path the path as a C string
   * @param flags as for open(2); close-on-exec is added
   * @param mode permissions of a file that is created
   * @return the descriptor or a negated error number
   */
  static int open(NativeBlock path, int flags, int mode) {
    while (true) {
      var fd = Errno.outcome(Native.libc().open(path.address(), flags | O_CLOEXEC, mode));
      path.keep();
      if (fd != -Errno.EINTR) {
        return fd;
      }
    }
  }

  /**
   * Opens a file for reading, allocating nothing.
   *
   * @param path the path as a C string
   * @return the descriptor, close-on-exec, or a negated error number
   */
  public static int openRead(NativeBlock path) {
    return open(path, O_RDONLY | O_NOCTTY, 0);
  }

  /**
   * Sets the mode of the open file description (shared with whoever inherited it).
   *
   * @param fd the descriptor
   * @param nonBlocking whether reads and writes shall return EAGAIN instead of waiting
   * @return 0 or a negated error number
   */
  public static int setNonBlocking(int fd, boolean nonBlocking) {
    var flags = Errno.outcome(Native.libc().fcntl(fd, F_GETFL, 0));
    if (flags < 0) {
      return flags;
    }
    var wanted = nonBlocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return wanted == flags ? 0 : Errno.outcome(Native.libc().fcntl(fd, F_SETFL, wanted));
  }

  /**
   * Sets the capacity of a pipe.
   *
   * @param fd an end of it
   * @param bytes rounded up by the kernel to a power of two pages
   * @return the new capacity in bytes or a negated error number
   */
  public static int setPipeSize(int fd, int bytes) {
    return Errno.outcome(Native.libc().fcntl(fd, F_SETPIPE_SZ, bytes));
  }

  /**
   * Reads. The call is repeated after a signal.
   *
   * @param fd the descriptor
   * @param buffer where to
   * @param offset first byte in the buffer
   * @param length how many bytes at most
   * @return bytes read, 0 at the end, or a negated error number
   */
  public static long read(int fd, NativeBlock buffer, long offset, long length) {
    var at = buffer.address(offset, length);
    while (true) {
      var n = Errno.outcome(Native.libc().read(fd, at, length));
      buffer.keep();
      if (n != -Errno.EINTR) {
        return n;
      }
    }
  }

  /**
   * Writes. The call is repeated after a signal.
   *
   * @param fd the descriptor
   * @param buffer where from
   * @param offset first byte in the buffer
   * @param length how many bytes at most
   * @return bytes written or a negated error number; {@code EPIPE} comes without a signal, as the
   *     JVM ignores SIGPIPE
   */
  public static long write(int fd, NativeBlock buffer, long offset, long length) {
    var at = buffer.address(offset, length);
    while (true) {
      var n = Errno.outcome(Native.libc().write(fd, at, length));
      buffer.keep();
      if (n != -Errno.EINTR) {
        return n;
      }
    }
  }

  /**
   * Closes, once: on Linux the descriptor is gone whatever is returned, so it is never repeated.
   *
   * @param fd the descriptor
   * @return 0 or a negated error number
   */
  public static int close(int fd) {
    return Errno.outcome(Native.libc().close(fd));
  }

  /**
   * Tells whether a number is an open descriptor of this process.
   *
   * @param fd the number
   * @return whether it is open
   */
  public static boolean isOpen(int fd) {
    return Native.libc().fcntl(fd, F_GETFD, 0) >= 0;
  }

  private static int openBlocking(byte[] path, int flags) {
    var fd = raiseOrClose(openOrThrow(path, flags | O_NONBLOCK | O_NOCTTY));
    try {
      var rc = setNonBlocking(fd, false);
      if (rc < 0) {
        throw new ErrnoException("fcntl(F_SETFL)", -rc);
      }
      return fd;
    } catch (Throwable t) {
      close(fd);
      throw t;
    }
  }

  private static int openOrThrow(byte[] path, int flags) {
    var fd = open(NativeBlock.cString(path), flags, RW_FOR_ALL);
    if (fd < 0) {
      throw new ErrnoException("open", -fd);
    }
    return fd;
  }

  private static int raiseOrClose(int fd) {
    try {
      return raise(fd, FIRST_OURS);
    } catch (Throwable t) {
      close(fd);
      throw t;
    }
  }
}
