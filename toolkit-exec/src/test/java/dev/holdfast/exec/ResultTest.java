package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.exec.ExitStatus.Exited;
import dev.holdfast.exec.ExitStatus.Signaled;
import dev.holdfast.exec.ExitStatus.Unknown;
import dev.holdfast.scope.Cause;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ResultTest {
  private static final Command COMMAND = Command.of("grep", "x y").env("TOKEN", "hunter2");
  private static final Captured NOTHING = kept("");

  @Test
  void streams_kept_asTextBytesAndLines() {
    Result result = result(COMMAND, new Exited(0), Cause.SELF, kept("a\r\nb"), kept("e\n"));
    assertThat(result.stdout()).isEqualTo("a\r\nb");
    assertThat(result.stdoutBytes()).isEqualTo(new byte[] {'a', '\r', '\n', 'b'});
    assertThat(result.stdoutLines()).containsExactly("a", "b").isUnmodifiable();
    assertThat(result.stderr()).isEqualTo("e\n");
    assertThat(result.stderrBytes()).isEqualTo(new byte[] {'e', '\n'});
    assertThat(result.stderrLines()).containsExactly("e");
    assertThat(result.truncated()).isFalse();
  }

  @Test
  void bytes_changedByTheCaller_noEffect() {
    Result result = result(COMMAND, new Exited(0), Cause.SELF, kept("a"), kept("b"));
    result.stdoutBytes()[0] = 'x';
    result.stderrBytes()[0] = 'x';
    assertThat(result.stdout() + result.stderr()).isEqualTo("ab");
  }

  @Test
  void text_malformed_isReplaced() {
    byte[] bytes = {'a', (byte) 0xc0, 'b', '\n'};
    Captured out = Captured.kept(bytes, false);
    assertThat(result(COMMAND, new Exited(0), Cause.SELF, out, NOTHING).stdoutLines())
        .containsExactly("a\ufffdb");
    assertThat(
            result(COMMAND.charset(ISO_8859_1), new Exited(0), Cause.SELF, out, NOTHING).stdout())
        .isEqualTo("a\u00c0b\n");
  }

  @Test
  void lines_wideCharset_splitAsCharacters() {
    Captured out = Captured.kept("\u0a0a\nb".getBytes(UTF_16), false);
    assertThat(
            result(COMMAND.charset(UTF_16), new Exited(0), Cause.SELF, out, NOTHING).stdoutLines())
        .containsExactly("\u0a0a", "b");
  }

  @Test
  void truncated_eitherStream_isSaid() {
    Captured cut = Captured.kept(new byte[] {'z'}, true);
    assertThat(result(COMMAND, new Exited(0), Cause.SELF, cut, NOTHING).truncated()).isTrue();
    assertThat(result(COMMAND, new Exited(0), Cause.SELF, NOTHING, cut).truncated()).isTrue();
  }

  @Test
  void streams_notKept_namesTheChoiceToMake() {
    Captured out = Captured.wentTo(Output.file(Path.of("/tmp/a b")));
    Result result = result(COMMAND, new Exited(0), Cause.SELF, out, Captured.merged());
    assertThatIllegalStateException()
        .isThrownBy(result::stdout)
        .withMessage(
            "stdout was not captured: it went to Output.file('/tmp/a b'); choose Output.capture()"
                + " or Output.tail(bytes) for it.");
    assertThatIllegalStateException().isThrownBy(result::stdoutBytes);
    assertThatIllegalStateException().isThrownBy(result::stdoutLines);
    assertThatIllegalStateException()
        .isThrownBy(result::stderr)
        .withMessageContaining("stderr")
        .withMessageContaining("mergeStderr()");
    assertThatIllegalStateException().isThrownBy(result::stderrBytes);
    assertThatIllegalStateException().isThrownBy(result::stderrLines);
    assertThat(result.truncated()).isFalse();
    assertThat(result.expectSuccess()).isSameAs(result);
  }

  @Test
  void isSuccess_exitCodes_asTheCommandSays() {
    Command zeroOrOne = COMMAND.exitCodes(0, 1);
    assertThat(ended(zeroOrOne, new Exited(0), Cause.SELF).isSuccess()).isTrue();
    assertThat(ended(zeroOrOne, new Exited(1), Cause.SELF).isSuccess()).isTrue();
    assertThat(ended(zeroOrOne, new Exited(2), Cause.SELF).isSuccess()).isFalse();
    assertThat(ended(COMMAND, new Exited(1), Cause.SELF).isSuccess()).isFalse();
    assertThat(ended(COMMAND.exitCodes(1), new Exited(0), Cause.SELF).isSuccess()).isFalse();
  }

  @Test
  void isSuccess_noExit_never() {
    Command tolerant = COMMAND.exitCodes(0, 9, 137);
    assertThat(ended(tolerant, new Signaled(Signal.KILL, false), Cause.SELF).isSuccess()).isFalse();
    assertThat(ended(tolerant, new Unknown("reaped by another"), Cause.SELF).isSuccess()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Cause.class)
  void isSuccess_exitZero_unlessCutOff(Cause cause) {
    boolean expected =
        switch (cause) {
          case SELF, STOPPED, CLOSED -> true;
          case TIMEOUT, HALTED, SIBLING_FAILED, OUTPUT_LIMIT -> false;
        };
    assertThat(ended(COMMAND, new Exited(0), cause).isSuccess()).isEqualTo(expected);
  }

  @Test
  void expectSuccess_failure_tellsAll() {
    Result result = result(COMMAND, new Exited(2), Cause.SELF, kept("partial\n"), kept("no x\n"));
    ExecException failure = unsuccessful(result);
    assertThat(failure.result()).isSameAs(result);
    assertThat(failure.command()).isSameAs(COMMAND);
    assertThat(failure)
        .hasMessage(
            "The command did not succeed: grep 'x y' ended as Exited(2) after PT1.5S, cause SELF;"
                + " success is an exit with a code of [0].\nstdout:\npartial\nstderr:\nno x");
  }

  @Test
  void expectSuccess_timeoutWithExitZero_throws() {
    assertThat(unsuccessful(ended(COMMAND, new Exited(0), Cause.TIMEOUT)))
        .hasMessageContaining("TIMEOUT")
        .hasMessageContaining("cut off");
  }

  @Test
  void expectSuccess_longOutput_showsItsEnd() {
    Captured out = kept("head" + "\ud83d\ude00".repeat(5000) + "!");
    Captured err = Captured.wentTo(Output.inherit());
    String message =
        String.valueOf(
            unsuccessful(result(COMMAND, new Exited(1), Cause.SELF, out, err)).getMessage());
    assertThat(message)
        .doesNotContain("head")
        .contains("stdout, its end:\n\ud83d\ude00")
        .endsWith("!\nstderr: not captured, it went to Output.inherit()");
    assertThat(message.length()).isBetween(4096, 4096 + 300);
  }

  @Test
  void expectSuccess_incompleteOutput_isSaid() {
    Result result =
        new Result(
            COMMAND,
            new Exited(1),
            Cause.SELF,
            Usage.NONE,
            Duration.ZERO,
            false,
            NOTHING,
            Captured.merged());
    assertThat(unsuccessful(result))
        .hasMessageContaining("not read to the end")
        .hasMessageContaining("stdout: empty");
  }

  @Test
  void text_ofAnything_hasNoEnvironmentValue() {
    Result result = ended(COMMAND, new Exited(1), Cause.SELF);
    assertThat(result.toString()).contains("grep", "Exited(1)").doesNotContain("hunter2");
    assertThat(String.valueOf(unsuccessful(result).getMessage())).doesNotContain("hunter2");
  }

  @Test
  void constructor_null_isNamed() {
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> ended(COMMAND, Nulls.nil(), Cause.SELF))
        .withMessage("status");
  }

  private static ExecException unsuccessful(Result result) {
    ExecException failure = catchThrowableOfType(ExecException.class, result::expectSuccess);
    assertThat(failure).isNotNull();
    assertThat(failure.reason()).isEqualTo(ExecException.Reason.UNSUCCESSFUL);
    return failure;
  }

  private static Captured kept(String text) {
    return Captured.kept(text.getBytes(UTF_8), false);
  }

  private static Result ended(Command command, ExitStatus status, Cause cause) {
    return result(command, status, cause, NOTHING, NOTHING);
  }

  private static Result result(
      Command command, ExitStatus status, Cause cause, Captured out, Captured err) {
    Duration duration = Duration.ofMillis(1500);
    return new Result(command, status, cause, Usage.NONE, duration, true, out, err);
  }
}
