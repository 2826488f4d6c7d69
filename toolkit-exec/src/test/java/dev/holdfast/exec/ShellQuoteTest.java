package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ShellQuoteTest {
  @Test
  void quote_examples_asOneWouldType() {
    assertThat(ShellQuote.quote("/usr/bin/env")).isEqualTo("/usr/bin/env");
    assertThat(ShellQuote.quote("--a=b,c:d+1%")).isEqualTo("--a=b,c:d+1%");
    assertThat(ShellQuote.quote("")).isEqualTo("''");
    assertThat(ShellQuote.quote("a b")).isEqualTo("'a b'");
    assertThat(ShellQuote.quote("$HOME *")).isEqualTo("'$HOME *'");
    assertThat(ShellQuote.quote("it's")).isEqualTo("'it'\\''s'");
    assertThat(ShellQuote.quote("\u00e9")).isEqualTo("'\u00e9'");
    assertThat(ShellQuote.quote("it's\n\\")).isEqualTo("$'it\\'s\\n\\\\'");
    assertThat(ShellQuote.quote("\r\t\u001b\u202e")).isEqualTo("$'\\r\\t\\u001b\\u202e'");
  }

  @Property
  void line_anyWords_isOneBoundedLineOfVisibleText(@ForAll List<String> words) {
    String line = ShellQuote.line(words);
    assertThat(line.length()).isLessThanOrEqualTo(ShellQuote.MAX_LINE + 3);
    assertThat(line.codePoints().noneMatch(Character::isISOControl)).isTrue();
    assertThat(Texts.fault(line)).isNull();
  }
}
