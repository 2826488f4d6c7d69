package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.exec.ExecException.Reason;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.FaultyLibc;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Files as the streams of a child. */
class FilesTest {
  @RegisterExtension static final ScopeExtension<ExecScope> SCOPES = Scopes.fresh();

  @TempDir private Path dir;

  private static Command sh(Marker marker, String script) {
    return Command.of(Fixture.shell(marker, script));
  }

  private static ExecException refusal(ExecScope scope, Command command) {
    ExecException refusal = catchThrowableOfType(ExecException.class, () -> scope.spawn(command));
    assertThat(refusal).as("the refusal of %s", command).isNotNull();
    return refusal;
  }

  @Test
  void outputFile_isEmptiedFirst_andAppendIsNot(ExecScope scope, Marker marker) throws Exception {
    Path file = Files.writeString(dir.resolve("out"), "before, and longer\n");
    scope.run(sh(marker, "echo a").stdout(Output.file(file))).expectSuccess();
    assertThat(file).hasContent("a\n");
    scope.run(sh(marker, "echo b").stdout(Output.append(file))).expectSuccess();
    assertThat(file).hasContent("a\nb\n");
    scope.run(sh(marker, "echo c >&2").stderr(Output.append(dir.resolve("new")))).expectSuccess();
    assertThat(dir.resolve("new")).hasContent("c\n");
  }

  @Test
  void inputFile_isReadByTheChild(ExecScope scope) throws Exception {
    Path file = Files.writeString(dir.resolve("in"), "from a file\n");
    assertThat(scope.run(Command.of("cat").stdin(Input.file(file))).stdout())
        .isEqualTo("from a file\n");
  }

  @Test
  void relativeFiles_countFromTheDirectoryOfTheJvm(ExecScope scope, Marker marker)
      throws Exception {
    Path here = Path.of("").toAbsolutePath();
    Path in = Files.createTempFile(here, "in-", ".txt");
    Path out = Path.of(in.getFileName() + ".out");
    Path more = Path.of(in.getFileName() + ".more");
    try {
      Files.writeString(in, "text\n");
      scope
          .run(
              sh(marker, "pwd; cat; echo more >&2")
                  .cwd(dir)
                  .stdin(Input.file(in.getFileName()))
                  .stdout(Output.file(out))
                  .stderr(Output.append(more)))
          .expectSuccess();
      assertThat(here.resolve(out)).hasContent(dir.toRealPath() + "\ntext\n");
      assertThat(here.resolve(more)).hasContent("more\n");
    } finally {
      Files.deleteIfExists(in);
      Files.deleteIfExists(out);
      Files.deleteIfExists(more);
    }
  }

  @Test
  void inputFile_missing_isABadArgumentThatNamesFileAndStream(ExecScope scope) {
    Path missing = dir.resolve("missing");
    ExecException refusal = refusal(scope, Command.of("cat").stdin(Input.file(missing)));
    assertThat(refusal.reason()).isEqualTo(Reason.BAD_ARGUMENT);
    assertThat(refusal).hasMessageContaining(missing.toString()).hasMessageContaining("stdin");
    assertThat(refusal.errno()).hasValue(Errno.ENOENT);
    assertThat(refusal.command()).isNotNull();
  }

  @Test
  void outputFile_inAMissingDirectory_isABadArgumentThatNamesFileAndStream(ExecScope scope) {
    Path file = dir.resolve("no").resolve("out");
    for (Output output : new Output[] {Output.file(file), Output.append(file)}) {
      ExecException refusal = refusal(scope, Command.of("true").stdout(output));
      assertThat(refusal.reason()).isEqualTo(Reason.BAD_ARGUMENT);
      assertThat(refusal).hasMessageContaining(file.toString()).hasMessageContaining("stdout");
    }
  }

  @Test
  void outputFile_thatIsADirectory_isABadArgumentThatNamesFileAndStream(ExecScope scope) {
    ExecException refusal = refusal(scope, Command.of("true").stderr(Output.file(dir)));
    assertThat(refusal.reason()).isEqualTo(Reason.BAD_ARGUMENT);
    assertThat(refusal).hasMessageContaining(dir.toString()).hasMessageContaining("stderr");
    assertThat(refusal.errno()).hasValue(Errno.EISDIR);
  }

  @Test
  void relativeFileThatIsMissing_isNamedWithTheDirectoryOfTheJvm(ExecScope scope) {
    ExecException refusal =
        refusal(scope, Command.of("cat").cwd(dir).stdin(Input.file(Path.of("nowhere.txt"))));
    assertThat(refusal)
        .hasMessageContaining(Path.of("").toAbsolutePath().resolve("nowhere.txt").toString());
  }

  @Test
  void file_whenDescriptorsHaveRunOut_isAShortageOfResources(ExecScope scope) throws IOException {
    Path file = Files.createFile(dir.resolve("in"));
    try (FaultyLibc.Fault fault = FaultyLibc.errno("open", 1, Errno.EMFILE)) {
      ExecException refusal = refusal(scope, Command.of("cat").stdin(Input.file(file)));
      assertThat(fault.struck()).isTrue();
      assertThat(refusal.reason()).isEqualTo(Reason.RESOURCES);
      assertThat(refusal.errno()).hasValue(Errno.EMFILE);
    }
  }

  @Test
  void fifoWithoutTheOtherSide_doesNotHoldTheSpawn(ExecScope scope) throws Exception {
    Path fifo = dir.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    assertThat(scope.run(Command.of("cat").stdin(Input.file(fifo))).expectSuccess().stdout())
        .isEmpty();
    ExecException refusal = refusal(scope, Command.of("true").stdout(Output.append(fifo)));
    assertThat(refusal.reason()).isEqualTo(Reason.BAD_ARGUMENT);
    assertThat(refusal).hasMessageContaining(fifo.toString());
  }
}
