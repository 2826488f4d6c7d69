package dev.holdfast.exec.libc;

import java.util.Arrays;

/**
 * What a path is, asked in raw bytes: a Java path can't name every file under {@code LC_ALL=C}, and
 * jnr-posix takes only strings.
 */
public final class FileStatus {
  private static final int AT_FDCWD = -100;
  private static final int AT_EACCESS = 0x200;
  private static final int X_OK = 1;
  private static final int STATX_TYPE_AND_MODE = 0x3;
  private static final int STATX_BYTES = 256;
  private static final int STX_MODE_OFFSET = 28;
  private static final int S_IFMT = 0170000;
  private static final int S_IFREG = 0100000;
  private static final int S_IFDIR = 0040000;
  private static final int PATH_MAX = 4096;

  /** What a path leads to, links followed. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A device, a FIFO or a socket. */
    OTHER
  }

  private FileStatus() {}

  /**
   * The kind of a path.
   *
   * @param path the path
   * @return its kind
   * @throws ErrnoException if it can't be looked at
   */
  public static Kind kind(byte[] path) {
    try (var memory = new CallMemory()) {
      var name = memory.cString(path).address();
      var status = memory.allocate(STATX_BYTES);
      var rc =
          Errno.outcome(
              Native.libc().statx(AT_FDCWD, name, 0, STATX_TYPE_AND_MODE, status.address()));
      if (rc < 0) {
        throw new ErrnoException("statx", -rc);
      }
      return switch (status.getUnsignedShort(STX_MODE_OFFSET) & S_IFMT) {
        case S_IFREG -> Kind.FILE;
        case S_IFDIR -> Kind.DIRECTORY;
        default -> Kind.OTHER;
      };
    }
  }

  /**
   * Asks whether we may execute a file or enter a directory, by the effective user.
   *
   * @param path the path
   * @return 0 or a negated error number
   */
  public static int mayExecute(byte[] path) {
    try (var memory = new CallMemory()) {
      var name = memory.cString(path).address();
      return Errno.outcome(Native.libc().faccessat(AT_FDCWD, name, X_OK, AT_EACCESS));
    }
  }

  /**
   * Reads a symbolic link.
   *
   * @param path the link
   * @return its text
   * @throws ErrnoException if it can't be read
   */
  public static byte[] link(byte[] path) {
    try (var memory = new CallMemory()) {
      var name = memory.cString(path).address();
      var text = memory.allocate(PATH_MAX);
      var n = Errno.outcome(Native.libc().readlink(name, text.address(), PATH_MAX));
      if (n < 0) {
        throw new ErrnoException("readlink", (int) -n);
      }
      var bytes = new byte[Math.toIntExact(n)];
      text.getBytes(0, bytes, 0, bytes.length);
      return bytes;
    }
  }

  /**
   * Reads the beginning of a file; a FIFO reads as empty.
   *
   * @param path the path
   * @param limit how many bytes at most
   * @return what was read
   * @throws ErrnoException if it can't be read
   */
  public static byte[] head(byte[] path, int limit) {
    var fd = Fds.openRead(path);
    try {
      var buffer = NativeBlock.allocate(limit);
      var n = Fds.read(fd, buffer, 0, limit);
      if (n < 0) {
        throw new ErrnoException("read", (int) -n);
      }
      var bytes = new byte[limit];
      buffer.getBytes(0, bytes, 0, (int) n);
      return Arrays.copyOf(bytes, (int) n);
    } finally {
      Fds.close(fd);
    }
  }
}
