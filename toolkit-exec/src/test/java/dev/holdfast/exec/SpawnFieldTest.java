package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.exec.ExecException.Reason;
import dev.holdfast.scope.Cause;
import dev.holdfast.scope.Task;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The field cases SPAWN and LINE. */
@Timeout(60)
class SpawnFieldTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path dir;

  private static ExecException refusal(ThrowingCallable call) {
    var failure = catchThrowableOfType(ExecException.class, call);
    assertThat(failure).as("the refusal").isNotNull();
    return failure;
  }

  private Path script(String name, String content) throws IOException {
    return executable(Files.writeString(dir.resolve(name), content));
  }

  private static Path executable(Path file) throws IOException {
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void spawn01_workingDirectoryMissing_isNamed(ExecScope scope) {
    var missing = dir.resolve("not there");
    var command = Command.of("true").cwd(missing);

    assertThat(refusal(() -> scope.spawn(command)))
        .hasMessageContaining("working directory")
        .hasMessageContaining("\"" + missing + "\"")
        .returns(Reason.BAD_WORKING_DIRECTORY, ExecException::reason)
        .returns(command, ExecException::command);
  }

  @Test
  void spawn02_interpreterMissing_isNamed(ExecScope scope) throws IOException {
    var script = script("tool", "#!/bin/bash42\necho hi\n");

    assertThat(refusal(() -> scope.run(Command.of(script.toString()))))
        .hasMessageContaining("\"/bin/bash42\"")
        .hasMessageContaining(script.toString())
        .returns(Reason.BAD_INTERPRETER, ExecException::reason);
  }

  @Test
  void spawn04_textWithoutShebang_isRefusedAndNeverRunByAShell(ExecScope scope) throws IOException {
    var witness = dir.resolve("witness");
    var script = script("tool", "touch '" + witness + "'\n");

    assertThat(refusal(() -> scope.run(Command.of(script.toString()))))
        .hasMessageContaining("Command.of(\"sh\", \"" + script + "\")")
        .returns(Reason.NO_SHEBANG, ExecException::reason);
    assertThat(witness).doesNotExist();
  }

  /** A child of another thread may hold the script open for writing until its exec. */
  @Test
  void spawn05_sixteenThreadsWriteAndRunScripts_noneIsBusy(ExecScope scope) throws Exception {
    List<Callable<String>> writers = new ArrayList<>();
    for (var writer = 0; writer < 16; writer++) {
      var prefix = writer + "-";
      writers.add(
          () -> {
            var outputs = new StringBuilder();
            for (var i = 0; i < 25; i++) {
              var script = script(prefix + i, "#!/bin/sh\necho " + prefix + i + "\n");
              outputs.append(scope.run(Command.of(script.toString())).expectSuccess().stdout());
            }
            return outputs.toString();
          });
    }
    try (var threads = Executors.newFixedThreadPool(16)) {
      var outputs = threads.invokeAll(writers);
      for (var writer = 0; writer < 16; writer++) {
        var expected = new StringBuilder();
        for (var i = 0; i < 25; i++) {
          expected.append(writer).append('-').append(i).append('\n');
        }
        assertThat(outputs.get(writer).get()).isEqualTo(expected.toString());
      }
    }
  }

  @Test
  void spawn05_scriptBusyForEver_isToldAfterABoundedRetry(ExecScope scope) throws IOException {
    var script = script("busy", "#!/bin/sh\n");
    try (var writer = Files.newByteChannel(script, StandardOpenOption.WRITE)) {
      var start = System.nanoTime();
      assertThat(refusal(() -> scope.run(Command.of(script.toString()))))
          .hasMessageContaining("open for writing")
          .hasMessageContaining(script.toString())
          .returns(Reason.NOT_EXECUTABLE, ExecException::reason);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofMillis(100), SOON);
      assertThat(writer.isOpen()).isTrue();
    }
  }

  @Test
  void spawn07_nulInAWord_isRefusedBeforeLaunch() {
    assertThat(refusal(() -> Command.of("a\0b"))).returns(Reason.BAD_ARGUMENT, e -> e.reason());
    assertThat(refusal(() -> Command.of("true", "x", "a\0b")))
        .hasMessageContaining("NUL")
        .returns(Reason.BAD_ARGUMENT, ExecException::reason);
    assertThat(refusal(() -> Command.of("true").args("a\0b")))
        .returns(Reason.BAD_ARGUMENT, ExecException::reason);
  }

  @Test
  void spawn08_badVariables_areRefusedAndOnlyTheKeyIsNamed() {
    var command = Command.of("true");
    assertThat(refusal(() -> command.env("A=B", "hunter2")))
        .hasMessageContaining("A=")
        .returns(Reason.BAD_ENVIRONMENT, ExecException::reason)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("hunter2");
    assertThat(refusal(() -> command.env("A=hunter2", "B")))
        .returns(Reason.BAD_ENVIRONMENT, ExecException::reason)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("hunter2");
    assertThat(refusal(() -> command.env("", "hunter2")))
        .returns(Reason.BAD_ENVIRONMENT, ExecException::reason)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("hunter2");
    assertThat(refusal(() -> command.env(Map.of("TOKEN", "hunter2\0"))))
        .hasMessageContaining("TOKEN")
        .returns(Reason.BAD_ENVIRONMENT, ExecException::reason)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("hunter2");
  }

  @Test
  void spawn09_programMissingInABody_letsAllWaitersGoAtOnce(Marker marker, Census census)
      throws Exception {
    try (var threads = Executors.newCachedThreadPool()) {
      Future<Boolean> awaiting;
      try (var scope = Exec.scope()) {
        var sibling =
            scope.fork(
                inner -> inner.run(Command.of(Fixture.program(marker, "sleep", "300"))).cause());
        census.awaitLive(1, SOON);
        var shared = scope.spawn(Command.of(Fixture.program(marker, "sleep", "300")));
        var joining = threads.submit(() -> shared.join());
        awaiting = threads.submit(() -> scope.awaitProcesses(Duration.ofSeconds(60)));
        var start = System.nanoTime();
        var body = scope.fork(inner -> inner.run(Command.of("/nope")));

        assertThat(catchThrowableOfType(RuntimeException.class, scope::join))
            .cause()
            .isInstanceOf(ExecException.class)
            .hasMessageContaining("\"/nope\"");
        assertThat(body.state()).isEqualTo(Task.State.FAILED);
        assertThat(joining.get(20, TimeUnit.SECONDS).cause()).isEqualTo(Cause.SIBLING_FAILED);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
        assertThat(sibling.state()).isNotNull();
      }
      assertThat(awaiting.get(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Each of them waits for the same thing, and none for another's timeout. */
  @Test
  void spawn09_programMissing_everyCallerFailsAtOnce(ExecScope scope, Marker marker)
      throws Exception {
    scope.spawn(Command.of(Fixture.program(marker, "sleep", "300")));
    List<Callable<ExecException>> callers = new ArrayList<>();
    for (var i = 0; i < 16; i++) {
      callers.add(() -> refusal(() -> scope.run(Command.of("/nope"))));
      callers.add(() -> refusal(() -> scope.spawn(Command.of("/nope"))));
    }
    try (var threads = Executors.newFixedThreadPool(32)) {
      for (var caller : threads.invokeAll(callers, 20, TimeUnit.SECONDS)) {
        assertThat(caller.get()).returns(Reason.NOT_FOUND, ExecException::reason);
      }
    }
  }

  @Test
  void spawn13_arguments_arriveVerbatim(ExecScope scope) throws InterruptedException {
    var words =
        List.of(
            "", " ", "a b", "'", "\"", "*", "?", "$HOME", "`id`", "$(id)", "\\", "\\n", "a\nb",
            "-n", "--", ";", "&", "|", ">x", "~", "#", "!", "{a,b}", "ä€😀", "\t", "%s");
    var command = Command.of("printf", "%s\\0").args(words.toArray(String[]::new));

    assertThat(scope.run(command).expectSuccess().stdout().split("\0", -1))
        .containsExactly(appended(words, ""));
  }

  private static String[] appended(List<String> words, String last) {
    var all = Arrays.copyOf(words.toArray(String[]::new), words.size() + 1);
    all[words.size()] = last;
    return all;
  }

  @Test
  void spawn17_namesWithDotsAndDashes_arrive(ExecScope scope) throws InterruptedException {
    var command = Command.of("env", "-0").env("spring.x-y", "a=b c").env("with blank", "");

    assertThat(scope.run(command).expectSuccess().stdout().split("\0"))
        .contains("spring.x-y=a=b c", "with blank=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true --all", "  true   --all "})
  void spawn18_wholeCommandLine_hintsAtSeparateArguments(String line, ExecScope scope) {
    assertThat(refusal(() -> scope.spawn(Command.of(line))))
        .hasMessageContaining("Command.of(\"true\", \"--all\")")
        .returns(Reason.NOT_FOUND, ExecException::reason);
  }

  @Test
  void line01_lastLineWithoutNewline_isALine(ExecScope scope) throws InterruptedException {
    var live = new ArrayList<String>();
    var command = Command.of("printf", "a\\nb");

    assertThat(scope.run(command).stdoutLines()).containsExactly("a", "b");
    scope.run(command.stdout(Output.lines(live::add)));
    assertThat(live).containsExactly("a", "b");
    assertThat(scope.spawn(command.stdout(Output.pipe())).lines()).containsExactly("a", "b");
  }

  @Test
  void line02_bytes_areExact(ExecScope scope) throws InterruptedException {
    assertThat(scope.run(Command.of("printf", "x")).stdoutBytes()).isEqualTo("x".getBytes(UTF_8));
    assertThat(scope.run(Command.of("echo", "x")).stdoutBytes()).isEqualTo("x\n".getBytes(UTF_8));
  }

  @Test
  void line08_lineInTwoParts_isOneLine(ExecScope scope) throws InterruptedException {
    var live = new ArrayList<String>();
    var script = Command.shell("printf ab; sleep .2; printf 'c\\n'");

    scope.run(script.stdout(Output.lines(live::add))).expectSuccess();
    assertThat(live).containsExactly("abc");
  }
}
