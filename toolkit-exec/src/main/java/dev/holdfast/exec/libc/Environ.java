package dev.holdfast.exec.libc;

import java.util.ArrayList;
import java.util.List;
import jnr.ffi.Pointer;

/** The environment of this process as the C library has it now, in raw bytes. */
public final class Environ {
  private Environ() {}

  /**
   * Copies the environment. Bytes stay as they are, whatever the locale; names that Java would drop
   * (with dots, without {@code =}, not UTF-8) are there.
   *
   * @return the entries as {@code NAME=value}, in the order of {@code environ}(7)
   */
  public static List<byte[]> inherited() {
    var entries = new ArrayList<byte[]>();
    var vector = Pointer.wrap(Native.runtime(), Native.symbol("environ")).getPointer(0);
    if (vector == null) {
      return entries;
    }
    for (var offset = 0L; ; offset += 8) {
      var entry = vector.getPointer(offset);
      if (entry == null || entry.address() == 0) {
        return entries;
      }
      var bytes = new byte[entry.indexOf(0, (byte) 0)];
      entry.get(0, bytes, 0, bytes.length);
      entries.add(bytes);
    }
  }
}
