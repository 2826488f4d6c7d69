package dev.holdfast.exec.libc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;
import jnr.ffi.Pointer;

/**
 * A zeroed piece of native memory, freed when it is no longer reachable. Access is bounds-checked
 * and allocates nothing. Whoever hands its address to a call that outlives the statement keeps it
 * reachable with {@link #keep}.
 */
public final class NativeBlock {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private final MemorySegment memory;

  NativeBlock(Arena arena, long size) {
    memory = arena.allocate(size, 64);
  }

  /**
   * Allocates a block, aligned to 64 bytes.
   *
   * @param size bytes, at least 1
   * @return the block, zeroed
   */
  public static NativeBlock allocate(long size) {
    return new NativeBlock(Arena.ofAuto(), size);
  }

  /**
   * Allocates a C string.
   *
   * @param text its bytes, without NUL
   * @return the block, with the NUL
   */
  public static NativeBlock cString(byte[] text) {
    return cString(Arena.ofAuto(), text);
  }

  static NativeBlock cString(Arena arena, byte[] text) {
    var block = new NativeBlock(arena, text.length + 1L);
    block.putBytes(0, text, 0, text.length);
    return block;
  }

  /**
   * The size.
   *
   * @return bytes
   */
  public long size() {
    return memory.byteSize();
  }

  /**
   * The address, valid as long as this block is reachable.
   *
   * @return the address of the first byte
   */
  public long address() {
    return memory.address();
  }

  /** Keeps this block reachable up to this call. */
  @SuppressWarnings(
      "ReachabilityFenceUsage") // the callers stand in finally or right after the call
  public void keep() {
    Reference.reachabilityFence(this);
  }

  /**
   * Reads.
   *
   * @param offset bytes from the start
   * @return the byte there, 0 to 255
   */
  public int getByte(long offset) {
    return memory.get(ValueLayout.JAVA_BYTE, offset) & 0xff;
  }

  /**
   * Writes.
   *
   * @param offset bytes from the start
   * @param value the low eight bits are written
   */
  public void putByte(long offset, int value) {
    memory.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
  }

  /**
   * Reads.
   *
   * @param offset bytes from the start
   * @return the unsigned 16-bit number there
   */
  public int getUnsignedShort(long offset) {
    return memory.get(SHORT, offset) & 0xffff;
  }

  /**
   * Reads.
   *
   * @param offset bytes from the start
   * @return the 32-bit number there
   */
  public int getInt(long offset) {
    return memory.get(INT, offset);
  }

  /**
   * Writes.
   *
   * @param offset bytes from the start
   * @param value the 32-bit number
   */
  public void putInt(long offset, int value) {
    memory.set(INT, offset, value);
  }

  /**
   * Reads.
   *
   * @param offset bytes from the start
   * @return the 64-bit number there
   */
  public long getLong(long offset) {
    return memory.get(LONG, offset);
  }

  /**
   * Writes.
   *
   * @param offset bytes from the start
   * @param value the 64-bit number
   */
  public void putLong(long offset, long value) {
    memory.set(LONG, offset, value);
  }

  /**
   * Copies out.
   *
   * @param offset bytes from the start
   * @param target where to
   * @param at first index in the target
   * @param length how many bytes
   */
  public void getBytes(long offset, byte[] target, int at, int length) {
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, target, at, length);
  }

  /**
   * Copies in.
   *
   * @param offset bytes from the start
   * @param source where from
   * @param at first index in the source
   * @param length how many bytes
   */
  public void putBytes(long offset, byte[] source, int at, int length) {
    MemorySegment.copy(source, at, memory, ValueLayout.JAVA_BYTE, offset, length);
  }

  /**
   * Fills with zeros.
   *
   * @param offset bytes from the start
   * @param length how many bytes
   */
  public void clear(long offset, long length) {
    memory.asSlice(offset, length).fill((byte) 0);
  }

  long address(long offset) {
    return memory.address() + offset;
  }

  /** The same as an object, for the one call that needs it so. */
  Pointer pointer(long offset) {
    return Pointer.wrap(Native.runtime(), memory.address() + offset);
  }

  /** The address of a part, checked against the bounds. */
  long address(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, memory.byteSize());
    return memory.address() + offset;
  }
}
