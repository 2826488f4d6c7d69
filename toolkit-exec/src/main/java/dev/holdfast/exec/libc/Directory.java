package dev.holdfast.exec.libc;

import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;

/** Directories whose entries are numbers: {@code /proc} and {@code /proc/self/fd}. */
public final class Directory {
  private static final int BUFFER_BYTES = 1 << 15;

  // struct linux_dirent64 (getdents64(2)): inode, offset, record length, type, name.
  private static final int LENGTH_OFFSET = 16;
  private static final int NAME_OFFSET = 19;

  private Directory() {}

  /**
   * Lists the entries that are decimal numbers; others are passed over.
   *
   * @param path the directory
   * @param each called with each number, on this thread
   * @throws ErrnoException if the directory can't be read
   */
  public static void forEachNumber(String path, IntConsumer each) {
    var fd = Fds.openRead(NativeBlock.cString(path.getBytes(StandardCharsets.UTF_8)));
    if (fd < 0) {
      throw new ErrnoException("open", -fd);
    }
    try {
      var buffer = NativeBlock.allocate(BUFFER_BYTES);
      while (true) {
        var n = Errno.outcome(Native.libc().getdents64(fd, buffer.address(), BUFFER_BYTES));
        buffer.keep();
        if (n < 0) {
          throw new ErrnoException("getdents64", (int) -n);
        }
        if (n == 0) {
          return;
        }
        for (var at = 0; at < n; at += buffer.getUnsignedShort(at + LENGTH_OFFSET)) {
          var number = number(buffer, at + NAME_OFFSET);
          if (number >= 0) {
            each.accept(number);
          }
        }
      }
    } finally {
      Fds.close(fd);
    }
  }

  private static int number(NativeBlock buffer, int at) {
    var value = 0;
    for (var i = at; ; i++) {
      var digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        return digit == -'0' && i > at ? value : -1;
      }
      value = value * 10 + digit;
    }
  }
}
