package dev.holdfast.exec.spawn;

import static dev.holdfast.exec.spawn.ProgramLookup.quoted;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.FileStatus;
import dev.holdfast.exec.spawn.LaunchFailure.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds out why {@code posix_spawn} refused a program that is there, from the error number and the
 * first bytes of the file: ENOENT of a script means its interpreter (execve(2), "Interpreter
 * scripts").
 */
final class LaunchDiagnosis {
  private static final int HEAD_BYTES = 256; // BINPRM_BUF_SIZE, what the kernel looks at
  private static final byte[] NOTHING = {};
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  private final int errno;
  private final byte[] path;
  private final byte[] head;

  private LaunchDiagnosis(int errno, byte[] path) {
    this.errno = errno;
    this.path = path;
    head = head(path);
  }

  static LaunchFailure of(int errno, byte[] path) {
    if (errno == Errno.E2BIG) {
      return new LaunchFailure(
          Reason.ARGUMENTS_TOO_LONG,
          errno,
          "The arguments and environment of "
              + quoted(path)
              + " are longer than the kernel takes; hand them over in a file or on standard"
              + " input.");
    }
    if (isShortage(errno)) {
      return new LaunchFailure(
          Reason.RESOURCES,
          errno,
          "No process could be made for "
              + quoted(path)
              + ": "
              + Errno.describe(errno)
              + ". Processes, descriptors or memory have run out; see the limits of this user.");
    }
    return new LaunchDiagnosis(errno, path).ofFile();
  }

  private LaunchFailure ofFile() {
    if (isScript() && interpreterIsBad()) {
      return badInterpreter();
    }
    if (errno == Errno.ENOEXEC) {
      return notAProgram();
    }
    if (errno == Errno.ENOENT && startsWith(ELF)) {
      return new LaunchFailure(
          Reason.BAD_INTERPRETER,
          errno,
          "The loader that the binary "
              + quoted(path)
              + " was linked for is not installed (see readelf -l).");
    }
    if (errno == Errno.ENOENT
        || errno == Errno.ENOTDIR
        || errno == Errno.ELOOP
        || errno == Errno.ENAMETOOLONG) {
      return new LaunchFailure(
          Reason.NOT_FOUND,
          errno,
          "The program " + quoted(path) + " is gone: " + ProgramLookup.why(errno) + ".");
    }
    if (errno == Errno.ETXTBSY) {
      return new LaunchFailure(
          Reason.NOT_EXECUTABLE,
          errno,
          "The program " + quoted(path) + " is still open for writing; close it first.");
    }
    return new LaunchFailure(
        Reason.NOT_EXECUTABLE,
        errno,
        "The program " + quoted(path) + " can't be executed: " + Errno.describe(errno) + ".");
  }

  private LaunchFailure badInterpreter() {
    var name = interpreter();
    var message =
        name.length == 0
            ? "The first line of " + quoted(path) + " names no interpreter after \"#!\"."
            : "The first line of "
                + quoted(path)
                + " names the interpreter "
                + printable(name)
                + ", which is not there or may not be executed."
                + (name[name.length - 1] == '\r'
                    ? " The line ends in a carriage return; convert the file's line ends."
                    : "");
    return new LaunchFailure(Reason.BAD_INTERPRETER, errno, message);
  }

  private LaunchFailure notAProgram() {
    if (startsWith(ELF)) {
      return new LaunchFailure(
          Reason.NOT_EXECUTABLE,
          errno,
          "The binary " + quoted(path) + " was built for another kind of machine.");
    }
    return new LaunchFailure(
        Reason.NO_SHEBANG,
        errno,
        "The file "
            + quoted(path)
            + " is neither a binary nor does it begin with \"#!\"; if it is a shell script, use"
            + " Command.of(\"sh\", "
            + quoted(path)
            + ").");
  }

  private boolean isScript() {
    return head.length >= 2 && head[0] == '#' && head[1] == '!';
  }

  private boolean interpreterIsBad() {
    var name = interpreter();
    if (name.length == 0 || FileStatus.mayExecute(name) < 0) {
      return true;
    }
    try {
      return FileStatus.kind(name) != FileStatus.Kind.FILE;
    } catch (ErrnoException e) {
      return true;
    }
  }

  private byte[] interpreter() {
    var start = 2;
    while (start < head.length && isBlank(head[start])) {
      start++;
    }
    var end = start;
    while (end < head.length && !isBlank(head[end]) && head[end] != '\n' && head[end] != 0) {
      end++;
    }
    return Arrays.copyOfRange(head, start, end);
  }

  private boolean startsWith(byte[] magic) {
    return head.length >= magic.length
        && Arrays.equals(head, 0, magic.length, magic, 0, magic.length);
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }

  private static boolean isShortage(int errno) {
    return errno == Errno.EAGAIN
        || errno == Errno.ENOMEM
        || errno == Errno.EMFILE
        || errno == Errno.ENFILE;
  }

  private static String printable(byte[] name) {
    return '"' + new String(name, StandardCharsets.UTF_8).replace("\r", "\\r") + '"';
  }

  private static byte[] head(byte[] path) {
    try {
      return FileStatus.head(path, HEAD_BYTES);
    } catch (ErrnoException e) {
      return NOTHING;
    }
  }
}
