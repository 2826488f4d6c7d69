package dev.holdfast.exec.pipe;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class LineSplitterTest {
  @Provide
  Arbitrary<Chunks> output() {
    return Chunks.any(12);
  }

  private static List<String> split(Charset charset, Chunks output) {
    List<String> lines = new ArrayList<>();
    LineSplitter splitter = new LineSplitter(charset, lines::add);
    for (int i = 0; i < output.pieces().size(); i++) {
      splitter.accept(output.inABuffer(i), output.pieces().get(i).length);
    }
    splitter.end();
    return lines;
  }

  /** The lines of a text that is there as a whole. */
  private static List<String> naive(String text) {
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    String last = lines.removeLast();
    lines.replaceAll(line -> line.endsWith("\r") ? line.substring(0, line.length() - 1) : line);
    if (!last.isEmpty()) {
      lines.add(last);
    }
    return lines;
  }

  @Property
  void lines_areThoseOfTheWholeText(@ForAll("output") Chunks output) {
    for (Charset charset : new Charset[] {UTF_8, ISO_8859_1}) {
      assertThat(split(charset, output)).isEqualTo(naive(new String(output.whole(), charset)));
    }
  }

  @Test
  void line_isDeliveredAsSoonAsItIsWhole() {
    List<String> lines = new ArrayList<>();
    LineSplitter splitter = new LineSplitter(UTF_8, lines::add);
    splitter.accept("one\ntw".getBytes(UTF_8), 6);
    assertThat(lines).containsExactly("one");
    splitter.accept("o\r\n".getBytes(UTF_8), 3);
    assertThat(lines).containsExactly("one", "two");
    splitter.end();
    assertThat(lines).containsExactly("one", "two");
  }

  @Test
  void carriageReturnThatNoNewlineFollows_stays() {
    assertThat(split(UTF_8, new Chunks(List.of("a\r".getBytes(UTF_8))))).containsExactly("a\r");
  }
}
