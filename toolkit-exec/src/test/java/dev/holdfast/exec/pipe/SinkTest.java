package dev.holdfast.exec.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The sinks in memory against what they are to keep of a plain array. */
class SinkTest {
  @Provide
  Arbitrary<Chunks> output() {
    return Chunks.any(60);
  }

  /** What is to be kept of so many bytes, and the verdict after them. */
  private interface Model {
    byte[] kept(byte[] whole);

    Sink.Verdict verdict(byte[] whole);
  }

  private static void assertLike(Model model, Sink sink, Chunks output) {
    for (int i = 0; i < output.pieces().size(); i++) {
      byte[] seen = output.whole(i + 1);
      sink.reserve(output.pieces().get(i).length);
      Sink.Verdict verdict = sink.accept(output.inABuffer(i), output.pieces().get(i).length);
      assertThat(verdict).isEqualTo(model.verdict(seen));
      assertThat(sink.content()).as("after %d pieces", i + 1).isEqualTo(model.kept(seen));
      assertThat(sink.truncated()).isEqualTo(sink.content().length < seen.length);
    }
  }

  @Property
  void tail_keepsTheLastBytes(
      @ForAll("output") Chunks output, @ForAll @IntRange(min = 1, max = 200) int limit) {
    assertLike(
        new Model() {
          @Override
          public byte[] kept(byte[] whole) {
            return Arrays.copyOfRange(whole, Math.max(0, whole.length - limit), whole.length);
          }

          @Override
          public Sink.Verdict verdict(byte[] whole) {
            return Sink.Verdict.MORE;
          }
        },
        new Tail(limit),
        output);
  }

  @Property
  void capture_keepsTheFirstBytes(
      @ForAll("output") Chunks output, @ForAll @IntRange(min = 1, max = 200) int limit) {
    assertLike(
        new Model() {
          @Override
          public byte[] kept(byte[] whole) {
            return Arrays.copyOf(whole, Math.min(limit, whole.length));
          }

          @Override
          public Sink.Verdict verdict(byte[] whole) {
            return whole.length > limit ? Sink.Verdict.OVER_LIMIT : Sink.Verdict.MORE;
          }
        },
        new Capture(limit),
        output);
  }

  @Property
  void headAndTail_keepsBothEnds(
      @ForAll("output") Chunks output, @ForAll @IntRange(min = 1, max = 200) int limit) {
    assertLike(
        new Model() {
          @Override
          public byte[] kept(byte[] whole) {
            if (whole.length <= limit) {
              return whole;
            }
            int head = limit / 2;
            byte[] kept = Arrays.copyOf(whole, limit);
            int tail = limit - head;
            System.arraycopy(whole, whole.length - tail, kept, head, tail);
            return kept;
          }

          @Override
          public Sink.Verdict verdict(byte[] whole) {
            return Sink.Verdict.MORE;
          }
        },
        new HeadAndTail(limit),
        output);
  }

  @Property(tries = 50)
  void content_isACopy(@ForAll("output") Chunks output) {
    for (Sink sink : new Sink[] {new Tail(100), new Capture(100), new HeadAndTail(100)}) {
      for (int i = 0; i < output.pieces().size(); i++) {
        sink.reserve(output.pieces().get(i).length);
        sink.accept(output.inABuffer(i), output.pieces().get(i).length);
      }
      byte[] content = sink.content();
      byte[] before = content.clone();
      Arrays.fill(content, (byte) '!');
      assertThat(sink.content()).isEqualTo(before);
    }
  }

  @Property(tries = 20)
  void largestRead_fitsWhereverItComes(@ForAll @IntRange(min = 1, max = 200_000) int limit) {
    byte[] chunk = new byte[Sinks.CHUNK];
    for (Sink sink : new Sink[] {new Tail(limit), new Capture(limit), new HeadAndTail(limit)}) {
      for (int i = 0; i < 5; i++) {
        Arrays.fill(chunk, (byte) i);
        sink.reserve(Sinks.CHUNK);
        sink.accept(chunk, chunk.length);
      }
      assertThat(sink.content()).hasSize(Math.min(limit, 5 * Sinks.CHUNK));
    }
  }
}
