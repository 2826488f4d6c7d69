package dev.holdfast.exec;

import java.util.List;

/**
 * Shows a command line as one would type it into a shell, on one line and of bounded length. For
 * people to read; nothing of ours is ever run from it.
 */
final class ShellQuote {
  /** Longest text that {@link #line} makes, in chars, the ellipsis apart. */
  static final int MAX_LINE = 512;

  private static final String ELLIPSIS = "...";
  private static final String PLAIN_MARKS = "_@%+=:,./-";

  private ShellQuote() {}

  /** Returns the words, each quoted if needed, cut after {@link #MAX_LINE} chars. */
  static String line(List<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      if (!line.isEmpty()) {
        line.append(' ');
      }
      // Only as much of a huge word is quoted as can be shown.
      line.append(quote(head(word, MAX_LINE + 2)));
      if (line.length() > MAX_LINE) {
        return head(line.toString(), MAX_LINE) + ELLIPSIS;
      }
    }
    return line.toString();
  }

  /**
   * Returns the word bare if it is plain, in single quotes if it is printable, and else in the
   * {@code $'...'} form of POSIX.1-2024, which keeps control characters out of logs.
   */
  static String quote(String word) {
    if (!word.isEmpty() && word.chars().allMatch(ShellQuote::isPlain)) {
      return word;
    }
    if (word.codePoints().noneMatch(ShellQuote::needsEscape)) {
      return "'" + word.replace("'", "'\\''") + "'";
    }
    StringBuilder quoted = new StringBuilder("$'");
    word.codePoints().forEach(c -> appendEscaped(quoted, c));
    return quoted.append('\'').toString();
  }

  private static boolean isPlain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PLAIN_MARKS.indexOf(c) >= 0;
  }

  private static boolean needsEscape(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  private static void appendEscaped(StringBuilder out, int c) {
    switch (c) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case '\'' -> out.append("\\'");
      case '\\' -> out.append("\\\\");
      default -> {
        if (needsEscape(c)) {
          out.append(c > 0xffff ? "\\U%08x".formatted(c) : "\\u%04x".formatted(c));
        } else {
          out.appendCodePoint(c);
        }
      }
    }
  }

  /** Returns at most {@code max} chars of the text; a surrogate pair is not torn. */
  private static String head(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max);
  }
}
