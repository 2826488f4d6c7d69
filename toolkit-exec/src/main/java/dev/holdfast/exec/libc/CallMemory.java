package dev.holdfast.exec.libc;

import java.lang.foreign.Arena;

/**
 * Native memory for a few calls, freed at the end of the block that makes them instead of by the
 * garbage collector. For the thread that made it alone.
 */
final class CallMemory implements AutoCloseable {
  private final Arena arena = Arena.ofConfined();

  /** A zeroed block of so many bytes. */
  NativeBlock allocate(long size) {
    return new NativeBlock(arena, size);
  }

  /** A C string. */
  NativeBlock cString(byte[] text) {
    return NativeBlock.cString(arena, text);
  }

  @Override
  public void close() {
    arena.close();
  }
}
