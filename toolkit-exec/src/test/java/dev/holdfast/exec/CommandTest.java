package dev.holdfast.exec;

import static dev.holdfast.exec.ExecException.Reason.BAD_ARGUMENT;
import static dev.holdfast.exec.ExecException.Reason.BAD_ENVIRONMENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTest {
  private static final Command LS = Command.of("ls", "-l");

  @Test
  void of_programAndArguments_keptVerbatim() {
    Command command = Command.of("echo", "a b", "", "$HOME", "*", "'\"").args("last");
    assertThat(command.program()).isEqualTo("echo");
    assertThat(command.arguments()).containsExactly("a b", "", "$HOME", "*", "'\"", "last");
    assertThat(command.words()).hasSize(7).first().isEqualTo("echo");
  }

  @Test
  void of_list_firstIsTheProgram() {
    Command command = Command.of(List.of("git", "status"));
    assertThat(command.words()).containsExactly("git", "status");
  }

  @Test
  void of_emptyList_refused() {
    refused(BAD_ARGUMENT, () -> Command.of(List.of()));
  }

  @Test
  void of_emptyProgram_refused() {
    refused(BAD_ARGUMENT, () -> Command.of(""));
    refused(BAD_ARGUMENT, () -> Command.of(List.of("", "a")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\0b", "\0", "half \ud800 pair", "\udc00"})
  void words_noProcessCanTake_refusedAtOnce(String word) {
    assertThat(refused(BAD_ARGUMENT, () -> Command.of(word))).startsWith("The program");
    assertThat(refused(BAD_ARGUMENT, () -> Command.of("p", "x", word))).contains("Argument 2 of p");
    assertThat(refused(BAD_ARGUMENT, () -> LS.args("x", word))).contains("Argument 3 of ls");
    refused(BAD_ARGUMENT, () -> Command.of(List.of("p", word)));
    refused(BAD_ARGUMENT, () -> Command.shell(word));
  }

  @Test
  void words_outsideTheBasicPlane_taken() {
    assertThat(Command.of("p", "\ud83d\ude00").arguments()).containsExactly("\ud83d\ude00");
  }

  @Test
  void shell_script_isOneArgumentOfSh() {
    assertThat(Command.shell("a | b").args("zero", "one").words())
        .containsExactly("/bin/sh", "-c", "a | b", "zero", "one");
  }

  @Test
  void arguments_returned_cannotBeChanged() {
    assertThat(LS.arguments()).isUnmodifiable();
    assertThat(LS.words()).isUnmodifiable();
  }

  @Test
  void of_arrayChangedLater_noEffect() {
    String[] args = {"a"};
    Command command = Command.of("p", args);
    args[0] = "b";
    assertThat(command.arguments()).containsExactly("a");
  }

  @Test
  void choices_notMade_areLeftOpen() {
    assertThat(LS.cwd()).isEmpty();
    assertThat(LS.timeout()).isEmpty();
    assertThat(LS.charset()).isEqualTo(StandardCharsets.UTF_8);
    assertThat(LS.environment()).isSameAs(EnvChanges.NONE);
    assertThat(LS.stdio().stdin()).isSameAs(Input.empty());
    assertThat(LS.stdio().stdoutOr(Output.tail())).isEqualTo(Output.tail());
    assertThat(LS.stdio().stderrOr(Output.capture())).isEqualTo(Output.capture());
    assertThat(LS.stdio().merged()).isFalse();
    assertThat(LS.ending().stopOr(StopPolicy.kill())).isSameAs(StopPolicy.kill());
    assertThat(LS.ending().containmentOr(Containment.GROUP)).isEqualTo(Containment.GROUP);
    assertThat(LS.successCodes()).containsExactly(0);
  }

  @Test
  void choices_made_areKept() {
    Command command =
        LS.cwd(Path.of("/tmp"))
            .stdin(Input.pipe())
            .stdout(Output.inherit())
            .stderr(Output.discard())
            .charset(StandardCharsets.ISO_8859_1)
            .timeout(Duration.ofSeconds(3))
            .stop(StopPolicy.kill())
            .containment(Containment.GROUP)
            .exitCodes(3, 1);
    assertThat(command.cwd()).hasValue(Path.of("/tmp"));
    assertThat(command.stdio().stdin()).isSameAs(Input.pipe());
    assertThat(command.stdio().stdoutOr(Output.tail())).isSameAs(Output.inherit());
    assertThat(command.stdio().stderrOr(Output.tail())).isSameAs(Output.discard());
    assertThat(command.charset()).isEqualTo(StandardCharsets.ISO_8859_1);
    assertThat(command.timeout()).hasValue(Duration.ofSeconds(3));
    assertThat(command.ending().stopOr(StopPolicy.standard())).isSameAs(StopPolicy.kill());
    assertThat(command.ending().containmentOr(Containment.TREE)).isEqualTo(Containment.GROUP);
    assertThat(command.successCodes()).containsExactly(1, 3);
  }

  @Test
  void mergeStderr_andStderr_theLastOneCounts() {
    Command merged = LS.stderr(Output.discard()).mergeStderr();
    assertThat(merged.stdio().merged()).isTrue();
    assertThat(merged.stdio().stderr()).isNull();
    Command split = merged.stderr(Output.inherit());
    assertThat(split.stdio().merged()).isFalse();
    assertThat(split.stdio().stderr()).isSameAs(Output.inherit());
  }

  @Test
  void env_changes_addUp() {
    Command command =
        LS.env("A", "1").unsetEnv("B").env(Map.of("spring.x-y", "2")).env("B", "3").unsetEnv("A");
    EnvChanges changes = command.environment();
    assertThat(changes.inherited()).isTrue();
    assertThat(changes.set()).containsOnly(entry("spring.x-y", "2"), entry("B", "3"));
    assertThat(changes.unset()).containsExactly("A");
  }

  @Test
  void clearEnv_forgetsWhatWasSetBefore() {
    EnvChanges changes = LS.env("A", "1").unsetEnv("B").clearEnv().env("C", "").environment();
    assertThat(changes.inherited()).isFalse();
    assertThat(changes.set()).containsOnly(entry("C", ""));
    assertThat(changes.unset()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A=B", "=", "A\0", "\ud800", "HOLDFAST_ID"})
  void env_badKey_refusedWithoutTheValue(String key) {
    String message = refused(BAD_ENVIRONMENT, () -> LS.env(key, "hunter2"));
    assertThat(message).doesNotContain("hunter2").endsWith(".");
    refused(BAD_ENVIRONMENT, () -> LS.env(Map.of(key, "hunter2")));
    refused(BAD_ENVIRONMENT, () -> LS.unsetEnv("A", key));
  }

  @Test
  void env_valueGivenWithinTheKey_notShown() {
    assertThat(refused(BAD_ENVIRONMENT, () -> LS.env("TOKEN=hunter2", "")))
        .contains("TOKEN=")
        .doesNotContain("hunter2");
    assertThat(refused(BAD_ENVIRONMENT, () -> LS.unsetEnv("TOKEN=hunter2\0")))
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hunter2\0", "hunter2\udc00"})
  void env_badValue_namesTheKeyAlone(String value) {
    assertThat(refused(BAD_ENVIRONMENT, () -> LS.env("TOKEN", value)))
        .contains("TOKEN")
        .doesNotContain("hunter2");
  }

  @Property(tries = 200)
  void env_anyValue_isShownNowhere(@ForAll("secrets") String secret) {
    Command command = LS.env("TOKEN", secret).env(Map.of("OTHER", secret));
    assertThat(command.toString()).doesNotContain(secret);
    assertThat(command.environment().toString()).contains("TOKEN").doesNotContain(secret);
  }

  @Provide
  Arbitrary<String> secrets() {
    return Arbitraries.strings().withCharRange('\u0100', '\u04ff').ofMinLength(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S"})
  void timeout_notPositive_refused(Duration timeout) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> LS.timeout(timeout))
        .withMessageContaining(timeout.toString());
  }

  @Test
  void exitCodes_noneOrOutOfRange_refused() {
    for (int[] codes : new int[][] {{}, {-1}, {0, 256}}) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> LS.exitCodes(codes))
          .withMessageEndingWith(".");
    }
  }

  @Test
  void cwd_insideAnArchive_refused(@TempDir Path dir) throws Exception {
    URI archive = URI.create("jar:" + dir.resolve("a.zip").toUri());
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path inside = zip.getPath("/");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> LS.cwd(inside))
          .withMessageContaining("a.zip");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> Input.file(inside));
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> Output.append(inside));
    }
  }

  @Property
  void withers_anySequence_neverChangeTheirReceiver(@ForAll("withers") List<Wither> withers) {
    Command command = LS;
    for (Wither wither : withers) {
      String before = stateOf(command);
      Command next = wither.change().apply(command);
      assertThat(stateOf(command)).as(wither.name()).isEqualTo(before);
      assertThat(next).as(wither.name()).isNotSameAs(command);
      command = next;
    }
  }

  @Property
  void withers_ofDifferentChoices_commute(
      @ForAll("wither") Wither one, @ForAll("wither") Wither two) {
    if (!one.choice().equals(two.choice())) {
      Command oneFirst = two.change().apply(one.change().apply(LS));
      Command twoFirst = one.change().apply(two.change().apply(LS));
      assertThat(stateOf(oneFirst)).isEqualTo(stateOf(twoFirst));
    }
  }

  record Wither(String choice, String name, UnaryOperator<Command> change) {
    @Override
    public String toString() {
      return name;
    }
  }

  @Provide
  Arbitrary<List<Wither>> withers() {
    return wither().list().ofMaxSize(8);
  }

  @Provide
  Arbitrary<Wither> wither() {
    return Arbitraries.of(
        new Wither("args", "args", c -> c.args("x")),
        new Wither("cwd", "cwd", c -> c.cwd(Path.of("/"))),
        new Wither("env", "env", c -> c.env("K", "v")),
        new Wither("env", "env map", c -> c.env(Map.of("L", "w"))),
        new Wither("env", "unsetEnv", c -> c.unsetEnv("K")),
        new Wither("env", "clearEnv", Command::clearEnv),
        new Wither("stdin", "stdin", c -> c.stdin(Input.inherit())),
        new Wither("stdout", "stdout", c -> c.stdout(Output.discard())),
        new Wither("stderr", "stderr", c -> c.stderr(Output.tail(7))),
        new Wither("stderr", "mergeStderr", Command::mergeStderr),
        new Wither("charset", "charset", c -> c.charset(StandardCharsets.US_ASCII)),
        new Wither("timeout", "timeout", c -> c.timeout(Duration.ofMillis(5))),
        new Wither("stop", "stop", c -> c.stop(StopPolicy.kill())),
        new Wither("containment", "containment", c -> c.containment(Containment.TREE)),
        new Wither("exitCodes", "exitCodes", c -> c.exitCodes(4)));
  }

  private static String stateOf(Command c) {
    return Stream.of(
            c.words(),
            c.cwd(),
            c.environment().inherited(),
            c.environment().set(),
            c.environment().unset(),
            c.stdio(),
            c.ending(),
            c.successCodes())
        .map(Object::toString)
        .toList()
        .toString();
  }

  static Stream<Arguments> nullArguments() {
    return Stream.of(
        Arguments.of("program", (ThrowingCallable) () -> Command.of(Nulls.<String>nil())),
        Arguments.of("args", (ThrowingCallable) () -> Command.of("p", Nulls.<String[]>nil())),
        Arguments.of("args[1]", (ThrowingCallable) () -> Command.of("p", "x", Nulls.nil())),
        Arguments.of("words", (ThrowingCallable) () -> Command.of(Nulls.<List<String>>nil())),
        Arguments.of(
            "words[0]",
            (ThrowingCallable) () -> Command.of(Collections.singletonList(Nulls.nil()))),
        Arguments.of(
            "words[1]", (ThrowingCallable) () -> Command.of(Arrays.asList("p", Nulls.nil()))),
        Arguments.of("script", (ThrowingCallable) () -> Command.shell(Nulls.nil())),
        Arguments.of("args[0]", (ThrowingCallable) () -> LS.args(Nulls.<String>nil())),
        Arguments.of("directory", (ThrowingCallable) () -> LS.cwd(Nulls.nil())),
        Arguments.of("key", (ThrowingCallable) () -> LS.env(Nulls.nil(), "v")),
        Arguments.of("value", (ThrowingCallable) () -> LS.env("k", Nulls.nil())),
        Arguments.of("variables", (ThrowingCallable) () -> LS.env(Nulls.nil())),
        Arguments.of(
            "variables[k]",
            (ThrowingCallable) () -> LS.env(Collections.singletonMap("k", Nulls.nil()))),
        Arguments.of("keys[1]", (ThrowingCallable) () -> LS.unsetEnv("k", Nulls.nil())),
        Arguments.of("input", (ThrowingCallable) () -> LS.stdin(Nulls.nil())),
        Arguments.of("output", (ThrowingCallable) () -> LS.stdout(Nulls.nil())),
        Arguments.of("output", (ThrowingCallable) () -> LS.stderr(Nulls.nil())),
        Arguments.of("charset", (ThrowingCallable) () -> LS.charset(Nulls.nil())),
        Arguments.of("timeout", (ThrowingCallable) () -> LS.timeout(Nulls.nil())),
        Arguments.of("stop", (ThrowingCallable) () -> LS.stop(Nulls.nil())),
        Arguments.of("containment", (ThrowingCallable) () -> LS.containment(Nulls.nil())),
        Arguments.of("codes", (ThrowingCallable) () -> LS.exitCodes(Nulls.<int[]>nil())));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nullArguments")
  void nullArgument_anywhere_isNamed(String parameter, ThrowingCallable call) {
    assertThatExceptionOfType(NullPointerException.class).isThrownBy(call).withMessage(parameter);
  }

  @Test
  void toString_wordsAsInAShell_withoutTheEnvironment() {
    assertThat(Command.of("sh", "-c", "it's", "").env("A", "secret"))
        .hasToString("sh -c 'it'\\''s' ''");
  }

  @Test
  void toString_hugeArgument_isCut() {
    String shown = Command.of("p", "x".repeat(2_000_000)).toString();
    assertThat(shown).hasSize(ShellQuote.MAX_LINE + 3).startsWith("p xxx").endsWith("x...");
  }

  private static String refused(ExecException.Reason reason, ThrowingCallable call) {
    ExecException refusal = catchThrowableOfType(ExecException.class, call);
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).isEqualTo(reason);
    assertThat(refusal.errno()).isEmpty();
    assertThat(refusal.command()).isNull();
    return String.valueOf(refusal.getMessage());
  }
}
