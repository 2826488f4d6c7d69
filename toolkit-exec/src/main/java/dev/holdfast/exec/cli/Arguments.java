package dev.holdfast.exec.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Our arguments as they were given. The JVM decodes them in the charset of the locale and loses
 * what that can't hold: in the C locale, everything beyond ASCII.
 */
final class Arguments {
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

  private Arguments() {}

  /**
   * The same arguments, from the bytes that the kernel keeps, which are UTF-8 to us.
   *
   * @throws IllegalArgumentException if one is not UTF-8
   */
  static String[] asGiven(String[] decoded) throws IOException {
    return last(decoded, Files.readAllBytes(COMMAND_LINE));
  }

  static String[] last(String[] decoded, byte[] commandLine) {
    var words = words(commandLine);
    var before = words.size() - decoded.length;
    var given = decoded.clone();
    for (var i = 0; i < given.length && before >= 0; i++) {
      given[i] = utf8(words.get(before + i), i + 1);
    }
    return given;
  }

  private static List<byte[]> words(byte[] commandLine) {
    var words = new ArrayList<byte[]>();
    var start = 0;
    for (var at = 0; at < commandLine.length; at++) {
      if (commandLine[at] == 0) {
        words.add(Arrays.copyOfRange(commandLine, start, at));
        start = at + 1;
      }
    }
    return words;
  }

  private static String utf8(byte[] word, int number) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(word)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "Argument " + number + " is not UTF-8, and holdfast passes on nothing else.", e);
    }
  }
}
