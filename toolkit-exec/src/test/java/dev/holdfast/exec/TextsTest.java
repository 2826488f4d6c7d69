package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class TextsTest {
  @Test
  void lines_examples_splitAsDocumented() {
    assertThat(Texts.lines("")).isEmpty();
    assertThat(Texts.lines("a")).containsExactly("a");
    assertThat(Texts.lines("a\n")).containsExactly("a");
    assertThat(Texts.lines("a\nb")).containsExactly("a", "b");
    assertThat(Texts.lines("\n")).containsExactly("");
    assertThat(Texts.lines("a\n\n\nb\n\n")).containsExactly("a", "", "", "b", "");
    assertThat(Texts.lines("a\r\nb\r\n")).containsExactly("a", "b");
    assertThat(Texts.lines("\r\n\r\n")).containsExactly("", "");
    assertThat(Texts.lines("a\r\r\nb")).containsExactly("a\r", "b");
    assertThat(Texts.lines("10%\r20%\r")).containsExactly("10%\r20%\r");
    assertThat(Texts.lines("\n\r")).containsExactly("", "\r");
    assertThat(Texts.lines("a\u2028b\u0085c\fd")).containsExactly("a\u2028b\u0085c\fd");
  }

  @Property
  void lines_eachEnded_comeBack(@ForAll("someLines") List<String> lines) {
    String unix = lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    assertThat(Texts.lines(unix)).isEqualTo(lines);
    assertThat(Texts.lines(unix.replace("\n", "\r\n"))).isEqualTo(lines);
  }

  @Property
  void lines_anyText_haveNoNewlineAndMissNothingElse(@ForAll("texts") String text) {
    List<String> lines = Texts.lines(text);
    assertThat(lines).noneMatch(line -> line.contains("\n"));
    String rest = text.replaceAll("\r?\n", "");
    assertThat(String.join("", lines)).isEqualTo(rest);
    long newlines = text.chars().filter(c -> c == '\n').count();
    assertThat(lines.size() - newlines).isEqualTo(text.isEmpty() || text.endsWith("\n") ? 0 : 1);
  }

  @Property
  void end_anyText_isItsSuffixWithoutATornPair(@ForAll("pairs") String text) {
    for (int max = 1; max <= text.length() + 1; max++) {
      String end = Texts.end(text, max);
      assertThat(text).endsWith(end);
      assertThat(end.length()).isBetween(Math.min(max, text.length()) - 1, max);
      assertThat(Texts.fault(end)).isNull();
    }
  }

  @Provide
  Arbitrary<List<String>> someLines() {
    return Arbitraries.strings().withChars("ab \u00e9").ofMaxLength(3).list().ofMaxSize(6);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings().withChars("ab\r\n").ofMaxLength(12);
  }

  @Provide
  Arbitrary<String> pairs() {
    return Arbitraries.of("a", "\u00e9", "\ud83d\ude00")
        .list()
        .ofMaxSize(6)
        .map(parts -> String.join("", parts));
  }
}
