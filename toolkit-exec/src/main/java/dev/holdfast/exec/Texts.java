package dev.holdfast.exec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Small work on text: what a process can be given, and how its output falls into lines. */
final class Texts {
  private Texts() {}

  /**
   * Says, as the end of a sentence, why this text can't be handed to a process unchanged; null if
   * it can. The kernel ends strings at a NUL ({@code execve(2)}), and half a surrogate pair has no
   * UTF-8 form.
   */
  static @Nullable String fault(String text) {
    if (text.indexOf('\0') >= 0) {
      return "contains a NUL character, which no process can be given";
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      return "contains half a surrogate pair, which has no form in UTF-8";
    }
    return null;
  }

  /** Refuses a null element of an array or collection, and says which. */
  static <T> T requireElement(@Nullable T element, String parameter, int index) {
    return Objects.requireNonNull(element, () -> parameter + "[" + index + "]");
  }

  /**
   * Splits at each newline; one carriage return before it goes too, one elsewhere stays. What
   * follows the last newline is a line only if it is not empty.
   */
  static List<String> lines(String text) {
    List<String> lines = new ArrayList<>();
    int start = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      boolean afterReturn = end > start && text.charAt(end - 1) == '\r';
      lines.add(text.substring(start, afterReturn ? end - 1 : end));
      start = end + 1;
    }
    if (start < text.length()) {
      lines.add(text.substring(start));
    }
    return List.copyOf(lines);
  }

  /** Returns the last {@code max} (at least 1) chars of the text; a surrogate pair is not torn. */
  static String end(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    int start = text.length() - max;
    return text.substring(Character.isLowSurrogate(text.charAt(start)) ? start + 1 : start);
  }
}
