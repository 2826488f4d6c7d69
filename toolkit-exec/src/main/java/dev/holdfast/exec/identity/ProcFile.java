package dev.holdfast.exec.identity;

import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads small files below {@code /proc} into one buffer that is used again. One thread at a time.
 */
final class ProcFile {
  private static final byte[] PREFIX = "/proc/".getBytes(StandardCharsets.US_ASCII);
  private static final int PATH_BYTES = 64;
  private static final int CHUNK = 4096;

  private final NativeBlock path = NativeBlock.allocate(PATH_BYTES);
  private final NativeBlock chunk = NativeBlock.allocate(CHUNK);
  private byte[] content = new byte[CHUNK];

  ProcFile() {
    path.putBytes(0, PREFIX, 0, PREFIX.length);
  }

  /**
   * Reads {@code /proc/<pid>/<name>}.
   *
   * @param name with its leading slash
   * @param whole false to stop after the first read, which is enough for a line
   * @return the number of bytes now in {@link #content}, or a negated error number
   */
  int read(int pid, byte[] name, boolean whole) {
    var end = putNumber(PREFIX.length, pid);
    path.putBytes(end, name, 0, name.length);
    path.putByte(end + name.length, 0);
    var fd = Fds.openRead(path);
    if (fd < 0) {
      return fd;
    }
    try {
      return readAll(fd, whole);
    } finally {
      Fds.close(fd);
    }
  }

  /** The bytes of the last read; valid until the next. */
  byte[] content() {
    return content;
  }

  /** Reads a whole file as text without the newline at its end. */
  static String line(String path) {
    var file = new ProcFile();
    var fd = Fds.openRead(NativeBlock.cString(path.getBytes(StandardCharsets.US_ASCII)));
    if (fd < 0) {
      throw new ErrnoException("open", -fd);
    }
    try {
      var n = file.readAll(fd, true);
      if (n < 0) {
        throw new ErrnoException("read", -n);
      }
      return new String(file.content, 0, n, StandardCharsets.ISO_8859_1).stripTrailing();
    } finally {
      Fds.close(fd);
    }
  }

  private int readAll(int fd, boolean whole) {
    var length = 0;
    while (true) {
      var n = (int) Fds.read(fd, chunk, 0, CHUNK);
      if (n < 0) {
        return n;
      }
      if (length + n > content.length) {
        content = Arrays.copyOf(content, Math.max(content.length * 2, length + n));
      }
      chunk.getBytes(0, content, length, n);
      length += n;
      if (n == 0 || !whole) {
        return length;
      }
    }
  }

  private int putNumber(int at, int number) {
    var digits = 1;
    for (var rest = number / 10; rest > 0; rest /= 10) {
      digits++;
    }
    var rest = number;
    for (var i = at + digits - 1; i >= at; i--) {
      path.putByte(i, '0' + rest % 10);
      rest /= 10;
    }
    return at + digits;
  }
}
