package dev.holdfast.exec.pipe;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Output in the pieces in which it was read. */
record Chunks(List<byte[]> pieces) {
  /**
   * Pieces of bytes of a small alphabet, in which ends of lines and broken characters are common.
   */
  static Arbitrary<Chunks> any(int longest) {
    var bytes =
        Arbitraries.of(
            (byte) 'a',
            (byte) 'b',
            (byte) '\r',
            (byte) '\n',
            (byte) 0xC3,
            (byte) 0xA4,
            (byte) 0xFF);
    return bytes
        .array(byte[].class)
        .ofMinSize(1)
        .ofMaxSize(longest)
        .list()
        .ofMaxSize(12)
        .map(Chunks::new);
  }

  /** All of them. */
  byte[] whole() {
    return whole(pieces.size());
  }

  /** The first ones. */
  byte[] whole(int count) {
    var all = new ByteArrayOutputStream();
    pieces.stream().limit(count).forEach(all::writeBytes);
    return all.toByteArray();
  }

  /** A piece at the start of a buffer that holds the rest of an earlier read. */
  byte[] inABuffer(int piece) {
    var bytes = pieces.get(piece);
    var buffer = Arrays.copyOf(bytes, bytes.length + 7);
    Arrays.fill(buffer, bytes.length, buffer.length, (byte) '?');
    return buffer;
  }

  @Override
  public String toString() {
    return pieces.stream().map(Arrays::toString).toList().toString();
  }
}
