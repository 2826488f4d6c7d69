package dev.holdfast.exec.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ArgumentsTest {
  @Test
  void arguments_areTheLastWords_emptyOnesToo() {
    var line = "java\0-cp\0a:b\0Main\0run\0\0gr\u00fc\u00df\0".getBytes(UTF_8);

    assertThat(Arguments.last(new String[] {"run", "", "gr??"}, line))
        .containsExactly("run", "", "gr\u00fc\u00df");
    assertThat(Arguments.last(new String[0], line)).isEmpty();
  }

  @Test
  void argumentThatIsNotUtf8_isRefused_notMangled() {
    var line = "java\0Main\0run\0gr\u00fcn\0".getBytes(ISO_8859_1);

    assertThatThrownBy(() -> Arguments.last(new String[] {"run", "gr?n"}, line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Argument 2 is not UTF-8, and holdfast passes on nothing else.");
  }

  @Test
  void fewerWordsThanArguments_areLeftAsTheyAre() {
    assertThat(Arguments.last(new String[] {"a", "b"}, "x\0".getBytes(UTF_8)))
        .containsExactly("a", "b");
  }
}
