package dev.holdfast.exec.spawn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.exec.libc.Child;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.SpawnCall;
import dev.holdfast.exec.libc.Waits;
import dev.holdfast.exec.spawn.LaunchFailure.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgramLookupTest {
  @TempDir private Path dir;

  private static byte @Nullable [] bytes(@Nullable Object text) {
    return text == null ? null : text.toString().getBytes(UTF_8);
  }

  private static String resolve(
      String program, @Nullable String searchPath, @Nullable Path directory) {
    return new String(ProgramLookup.resolve(program, bytes(searchPath), bytes(directory)), UTF_8);
  }

  private static LaunchFailure failure(
      String program, @Nullable String searchPath, @Nullable Path directory) {
    return catchThrowableOfType(LaunchFailure.class, () -> resolve(program, searchPath, directory));
  }

  private Path file(String name, String mode, String content) throws IOException {
    var file = dir.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  /** Spawns what was found, and has the refusal explained. */
  private static LaunchFailure refusal(Path program, String... arguments) {
    var path = bytes(ProgramLookupTest.resolve(program.toString(), null, null));
    var argv = new java.util.ArrayList<byte[]>(List.of(path));
    for (var argument : arguments) {
      argv.add(argument.getBytes(UTF_8));
    }
    try (var call = SpawnCall.builder(path, argv, List.of()).dup2(Fds.devNull(), 1).build()) {
      var errno = call.run();
      if (errno == 0) {
        Waits.reapBlocking(call.pid());
      }
      assertThat(errno).isNotZero();
      return ProgramLookup.diagnose(errno, path);
    }
  }

  @Test
  void bareName_isFoundInTheChildsPath() throws IOException {
    var tool = file("bin/tool", "rwxr-xr-x", "#!/bin/sh\n");
    assertThat(resolve("tool", "/nope:" + dir + "/bin:/bin", null)).isEqualTo(tool.toString());
    assertThat(resolve("sh", null, null)).isIn("/bin/sh", "/usr/bin/sh");
    assertThat(failure("tool", "/nope:/bin", null))
        .hasMessage("There is no program \"tool\" in the child's PATH, /nope:/bin.")
        .returns(Reason.NOT_FOUND, LaunchFailure::reason)
        .returns(Errno.ENOENT, LaunchFailure::errno);
  }

  @ParameterizedTest
  @CsvSource({"''", ":/bin", "/bin:", "/nope::/bin", "."})
  void bareName_emptyOrRelativeElement_isTheWorkingDirectory(String searchPath) throws IOException {
    file("tool", "rwxr-xr-x", "");
    assertThat(Path.of(resolve("tool", searchPath, dir)).normalize())
        .isEqualTo(dir.resolve("tool"));
  }

  @Test
  void bareName_notExecutable_isPassedOverButRemembered() throws IOException {
    var bad = file("a/tool", "rw-r--r--", "");
    var good = file("b/tool", "rwxr-xr-x", "");
    Files.createDirectories(dir.resolve("c/tool"));
    assertThat(resolve("tool", dir + "/c:" + dir + "/a:" + dir + "/b", null))
        .isEqualTo(good.toString());
    assertThat(failure("tool", dir + "/a:/bin", null))
        .hasMessageContaining("The file \"" + bad + "\" may not be executed")
        .returns(Reason.NOT_EXECUTABLE, LaunchFailure::reason);
    assertThat(failure("tool", dir + "/c:/bin", null))
        .returns(Reason.NOT_FOUND, LaunchFailure::reason);
  }

  @Test
  void slash_isFromTheWorkingDirectory() throws IOException {
    var tool = file("sub/tool", "rwxr-xr-x", "");
    assertThat(resolve("./sub/tool", null, dir)).isEqualTo(dir + "/./sub/tool");
    assertThat(resolve("sub/tool", "/bin", dir)).isEqualTo(tool.toString());
    assertThat(failure("./sub/tool", null, dir.resolve("sub")))
        .hasMessage(
            "The program \"" + dir + "/sub/./sub/tool\" can't be found: it does not exist.");
    var here = Path.of("").toAbsolutePath();
    assertThat(failure("./no/such", null, null)).hasMessageContaining(here + "/./no/such");
  }

  @Test
  void slash_badTarget_isNamed() throws IOException {
    var plain = file("plain", "rw-r--r--", "");
    assertThat(failure(dir.toString(), null, null))
        .hasMessage("\"" + dir + "\" is a directory, not a program.")
        .returns(Reason.NOT_EXECUTABLE, LaunchFailure::reason);
    assertThat(failure(plain.toString(), null, null))
        .hasMessageContaining("chmod +x")
        .returns(Reason.NOT_EXECUTABLE, LaunchFailure::reason);
    assertThat(failure(plain + "/x", null, null))
        .returns(Reason.NOT_FOUND, LaunchFailure::reason)
        .returns(Errno.ENOTDIR, LaunchFailure::errno);
    assertThat(failure("/" + "x".repeat(5000), null, null))
        .returns(Reason.NOT_FOUND, LaunchFailure::reason)
        .returns(Errno.ENAMETOOLONG, LaunchFailure::errno);
    var loop = Files.createSymbolicLink(dir.resolve("loop"), Path.of("loop"));
    assertThat(failure(loop.toString(), null, null)).returns(Errno.ELOOP, LaunchFailure::errno);
    assertThat(failure("/dev/null", null, null))
        .returns(Reason.NOT_EXECUTABLE, LaunchFailure::reason);
  }

  @Test
  void spawn01_workingDirectory_missingOrNone_isNamed() throws IOException {
    var plain = file("plain", "rw-r--r--", "");
    assertThat(failure("sh", null, dir.resolve("gone")))
        .hasMessage("The working directory \"" + dir + "/gone\" can't be used: it does not exist.")
        .returns(Reason.BAD_WORKING_DIRECTORY, LaunchFailure::reason);
    assertThat(failure("sh", null, plain))
        .hasMessageContaining("is not a directory")
        .returns(Reason.BAD_WORKING_DIRECTORY, LaunchFailure::reason);
  }

  @Test
  void spawn18_wholeCommandLine_hintsAtSeparateArguments() {
    assertThat(failure("sh -c  x", null, null))
        .hasMessageEndingWith(
            " The program \"sh\" is there: pass arguments apart, Command.of(\"sh\", \"-c\","
                + " \"x\").")
        .returns(Reason.NOT_FOUND, LaunchFailure::reason);
    assertThat(failure("/bin/sh -c", null, null))
        .hasMessageContaining("Command.of(\"/bin/sh\", \"-c\")");
    assertThat(failure("no such thing", null, null)).hasMessageEndingWith("/bin:/usr/bin.");
    assertThat(failure(" ", null, null)).returns(Reason.NOT_FOUND, LaunchFailure::reason);
  }

  @Test
  void spawn07_emptyOrNul_isRefused() {
    assertThat(failure("", null, null)).returns(Reason.BAD_ARGUMENT, LaunchFailure::reason);
    assertThat(failure("a\0b", null, null)).returns(Reason.BAD_ARGUMENT, LaunchFailure::reason);
  }

  @Test
  void nonAsciiName_isFound() throws IOException {
    var tool = file("töol", "rwxr-xr-x", "");
    assertThat(resolve("töol", dir.toString(), null)).isEqualTo(tool.toString());
  }

  @Test
  void spawn02_interpreterMissing_isNamed() throws IOException {
    var script = file("s", "rwxr-xr-x", "#!/bin/bash42 -e\n");
    assertThat(refusal(script))
        .hasMessage(
            "The first line of \"%s\" names the interpreter \"/bin/bash42\", which is not there or"
                    .formatted(script)
                + " may not be executed.")
        .returns(Reason.BAD_INTERPRETER, LaunchFailure::reason)
        .returns(Errno.ENOENT, LaunchFailure::errno);
    assertThat(refusal(file("crlf", "rwxr-xr-x", "#!/bin/sh\r\necho\r\n")))
        .hasMessageContaining("\"/bin/sh\\r\"")
        .hasMessageContaining("carriage return")
        .returns(Reason.BAD_INTERPRETER, LaunchFailure::reason);
    assertThat(refusal(file("noexec", "rwxr-xr-x", "#!/etc/passwd\n")))
        .hasMessageContaining("\"/etc/passwd\"")
        .returns(Reason.BAD_INTERPRETER, LaunchFailure::reason);
    assertThat(refusal(file("none", "rwxr-xr-x", "#!  \n")))
        .hasMessageContaining("names no interpreter")
        .returns(Reason.BAD_INTERPRETER, LaunchFailure::reason);
  }

  @Test
  void spawn04_noShebang_hintsAtAShell() throws IOException {
    var script = file("s", "rwxr-xr-x", "echo hello\n");
    assertThat(refusal(script))
        .hasMessageContaining("Command.of(\"sh\", \"" + script + "\")")
        .returns(Reason.NO_SHEBANG, LaunchFailure::reason);
    assertThat(refusal(file("empty", "rwxr-xr-x", "")))
        .returns(Reason.NO_SHEBANG, LaunchFailure::reason);
    assertThat(refusal(file("elf", "rwxr-xr-x", "\177ELF rubbish")))
        .hasMessageContaining("another kind of machine")
        .returns(Reason.NOT_EXECUTABLE, LaunchFailure::reason);
  }

  @Test
  void diagnose_openForWriting_isTold() throws IOException {
    var program = dir.resolve("true");
    Files.copy(Path.of("/bin/true"), program);
    var fd = Fds.openAppend(Child.utf8(program.toString()));
    try {
      assertThat(refusal(program))
          .hasMessageContaining("open for writing")
          .returns(Errno.ETXTBSY, LaunchFailure::errno);
    } finally {
      Fds.close(fd);
    }
  }

  @Test
  void diagnose_argumentsTooLong_isTold() {
    assertThat(refusal(Path.of("/bin/true"), "x".repeat(200_000)))
        .returns(Reason.ARGUMENTS_TOO_LONG, LaunchFailure::reason)
        .returns(Errno.E2BIG, LaunchFailure::errno);
  }

  @Test
  void diagnose_shortageAndOthers_haveTheirReason() {
    var path = Child.utf8("/bin/true");
    for (var errno : List.of(Errno.EAGAIN, Errno.ENOMEM, Errno.EMFILE, Errno.ENFILE)) {
      assertThat(ProgramLookup.diagnose(errno, path))
          .hasMessageContaining(Errno.name(errno))
          .returns(Reason.RESOURCES, LaunchFailure::reason);
    }
    assertThat(ProgramLookup.diagnose(Errno.ENOENT, Child.utf8("/gone")))
        .returns(Reason.NOT_FOUND, LaunchFailure::reason);
    assertThat(ProgramLookup.diagnose(Errno.ENOENT, path))
        .hasMessageContaining("loader")
        .returns(Reason.BAD_INTERPRETER, LaunchFailure::reason);
    assertThat(ProgramLookup.diagnose(Errno.EACCES, path))
        .returns(Reason.NOT_EXECUTABLE, LaunchFailure::reason);
    assertThat(ProgramLookup.diagnose(Errno.ELOOP, path))
        .returns(Reason.NOT_FOUND, LaunchFailure::reason);
  }
}
