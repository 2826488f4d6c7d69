package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class StdioChoicesTest {
  private static final Logger LOGGER = LoggerFactory.getLogger("child");

  @Test
  void inputBytes_changedLater_noEffect() {
    byte[] bytes = {1};
    Input input = Input.bytes(bytes);
    bytes[0] = 2;
    assertThat(((Inputs.Payload) input).encode(UTF_8)).containsExactly(1);
  }

  @Test
  void inputText_anyCharset_isEncodedByIt() {
    Inputs.Payload text = (Inputs.Payload) Input.text("\u00e9");
    assertThat(text.encode(UTF_8)).containsExactly(0xc3, 0xa9);
    assertThat(text.encode(ISO_8859_1)).containsExactly(0xe9);
  }

  @Test
  void inputs_eachFactory_isItsOwnKind() {
    List<Input> all =
        List.of(
            Input.empty(),
            Input.inherit(),
            Input.pipe(),
            Input.bytes(new byte[9]),
            Input.text("hunter2"),
            Input.file(Path.of("/etc/passwd")),
            Input.from(InputStream.nullInputStream()));
    assertThat(all.stream().map(StdioChoicesTest::kind))
        .containsExactly("empty", "inherit", "pipe", "payload", "payload", "file", "stream");
    assertThat(all.toString()).contains("Input.file(/etc/passwd)").doesNotContain("hunter2");
  }

  @Test
  void outputs_eachFactory_saysWhereItGoes() {
    assertThat(Output.discard()).hasToString("Output.discard()");
    assertThat(Output.inherit()).hasToString("Output.inherit()");
    assertThat(Output.pipe()).hasToString("Output.pipe()");
    assertThat(Output.file(Path.of("a b"))).hasToString("Output.file('a b')");
    assertThat(Output.append(Path.of("a"))).hasToString("Output.append(a)");
    assertThat(Output.capture()).hasToString("Output.capture(67108864, FAIL)");
    assertThat(Output.capture(7)).hasToString("Output.capture(7, FAIL)");
    assertThat(Output.capture(7, Overflow.STOP)).hasToString("Output.capture(7, STOP)");
    assertThat(Output.tail()).hasToString("Output.tail(65536)");
    assertThat(Output.tail(9)).hasToString("Output.tail(9)");
    assertThat(Output.lines(line -> {})).hasToString("Output.lines(...)");
    assertThat(Output.to(new ByteArrayOutputStream()))
        .hasToString("Output.to(java.io.ByteArrayOutputStream)");
    assertThat(Output.log(LOGGER, Level.WARN)).hasToString("Output.log(child, WARN)");
  }

  @Test
  void outputs_keptInMemory_areTold() {
    assertThat(Output.capture()).isInstanceOf(Outputs.Kept.class);
    assertThat(Output.tail()).isInstanceOf(Outputs.Kept.class);
    assertThat(Output.lines(line -> {})).isInstanceOf(Outputs.Sink.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, Integer.MAX_VALUE - 7L, Long.MAX_VALUE})
  void capture_impossibleLimit_refusedWithAnotherChoice(long limit) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Output.capture(limit))
        .withMessageContaining(Long.toString(limit))
        .withMessageContaining("choose Output.");
  }

  @Test
  void limits_atTheirEnds_taken() {
    assertThat(Output.capture(1)).isEqualTo(new Outputs.Capture(1, Overflow.FAIL));
    assertThat(Output.capture(Integer.MAX_VALUE - 8L)).isNotNull();
    assertThat(Output.tail(1)).isEqualTo(new Outputs.Tail(1));
    assertThatIllegalArgumentException().isThrownBy(() -> Output.tail(0));
  }

  static Stream<Arguments> nullArguments() {
    return Stream.of(
        Arguments.of("bytes", (ThrowingCallable) () -> Input.bytes(Nulls.nil())),
        Arguments.of("text", (ThrowingCallable) () -> Input.text(Nulls.nil())),
        Arguments.of("file", (ThrowingCallable) () -> Input.file(Nulls.nil())),
        Arguments.of("source", (ThrowingCallable) () -> Input.from(Nulls.nil())),
        Arguments.of("file", (ThrowingCallable) () -> Output.file(Nulls.nil())),
        Arguments.of("file", (ThrowingCallable) () -> Output.append(Nulls.nil())),
        Arguments.of("overflow", (ThrowingCallable) () -> Output.capture(1, Nulls.nil())),
        Arguments.of("consumer", (ThrowingCallable) () -> Output.lines(Nulls.nil())),
        Arguments.of("target", (ThrowingCallable) () -> Output.to(Nulls.nil())),
        Arguments.of("logger", (ThrowingCallable) () -> Output.log(Nulls.nil(), Level.INFO)),
        Arguments.of("level", (ThrowingCallable) () -> Output.log(LOGGER, Nulls.nil())));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nullArguments")
  void nullArgument_anywhere_isNamed(String parameter, ThrowingCallable call) {
    assertThatExceptionOfType(NullPointerException.class).isThrownBy(call).withMessage(parameter);
  }

  private static String kind(Input input) {
    return switch (input) {
      case Inputs.Empty _ -> "empty";
      case Inputs.Inherit _ -> "inherit";
      case Inputs.Pipe _ -> "pipe";
      case Inputs.Payload _ -> "payload";
      case Inputs.File _ -> "file";
      case Inputs.Stream _ -> "stream";
    };
  }
}
