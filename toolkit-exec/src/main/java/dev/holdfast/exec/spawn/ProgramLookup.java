package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.FileStatus;
import dev.holdfast.exec.spawn.LaunchFailure.Reason;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the program of a command before anything is spawned, as the child would: a bare name in the
 * PATH that the child gets, every other one from the child's working directory. One look-up, one
 * thread.
 */
public final class ProgramLookup {
  private static final byte[] DEFAULT_PATH = ascii("/bin:/usr/bin"); // execvp(3)
  private static final byte[] OWN_DIRECTORY = ascii("/proc/self/cwd");

  private final String program;
  private final byte[] searchPath;
  private final byte @Nullable [] directory;
  private byte @Nullable [] base;

  private ProgramLookup(String program, byte @Nullable [] searchPath, byte @Nullable [] directory) {
    this.program = program;
    this.searchPath = searchPath == null ? DEFAULT_PATH : searchPath;
    this.directory = directory;
  }

  /**
   * Finds a program, and checks the working directory on the way.
   *
   * @param program a bare name, or a path with a slash
   * @param searchPath the child's PATH; null if it has none, which means {@code /bin:/usr/bin}
   * @param directory the child's working directory; null for the JVM's
   * @return the absolute path of a file that may be executed
   * @throws LaunchFailure if the directory can't be used or there is no such program
   */
  public static byte[] resolve(
      String program, byte @Nullable [] searchPath, byte @Nullable [] directory) {
    if (program.isEmpty() || program.indexOf('\0') >= 0) {
      throw new LaunchFailure(
          Reason.BAD_ARGUMENT,
          0,
          program.isEmpty()
              ? "The name of the program is empty; give a name or a path."
              : "The name of the program has a NUL character in it, which no process can be"
                  + " given.");
    }
    if (directory != null) {
      checkDirectory(directory);
    }
    return new ProgramLookup(program, searchPath, directory).find();
  }

  /**
   * Says why a spawn was refused of a program that was found.
   *
   * @param errno what posix_spawn returned, positive
   * @param path the program as it was resolved
   * @return the failure, to be thrown
   */
  public static LaunchFailure diagnose(int errno, byte[] path) {
    return LaunchDiagnosis.of(errno, path);
  }

  private byte[] find() {
    var name = program.getBytes(StandardCharsets.UTF_8);
    return program.indexOf('/') >= 0 ? findAt(name) : findInPath(name);
  }

  private byte[] findAt(byte[] name) {
    var path = absolute(name);
    var rc = executable(path);
    if (rc == 0) {
      return path;
    }
    if (rc == -Errno.EISDIR || rc == -Errno.EACCES) {
      throw notExecutable(path, -rc);
    }
    throw notFound(-rc, "The program " + quoted(path) + " can't be found: " + why(-rc) + ".");
  }

  private byte[] findInPath(byte[] name) {
    byte @Nullable [] refused = null;
    var refusal = 0;
    var start = 0;
    while (start <= searchPath.length) {
      var end = start;
      while (end < searchPath.length && searchPath[end] != ':') {
        end++;
      }
      var path = absolute(candidate(start, end, name));
      var rc = executable(path);
      if (rc == 0) {
        return path;
      }
      if (refused == null && (rc == -Errno.EISDIR || rc == -Errno.EACCES) && exists(path)) {
        refused = path;
        refusal = -rc;
      }
      start = end + 1;
    }
    if (refused != null && refusal != Errno.EISDIR) {
      throw notExecutable(refused, refusal);
    }
    throw notFound(
        Errno.ENOENT,
        "There is no program \"" + program + "\" in the child's PATH, " + text(searchPath) + ".");
  }

  /** An empty element of PATH is the working directory. */
  private byte[] candidate(int start, int end, byte[] name) {
    var length = end - start;
    if (length == 0) {
      return name;
    }
    var path = Arrays.copyOf(Arrays.copyOfRange(searchPath, start, end), length + 1 + name.length);
    path[length] = '/';
    System.arraycopy(name, 0, path, length + 1, name.length);
    return path;
  }

  private LaunchFailure notExecutable(byte[] path, int errno) {
    var message =
        errno == Errno.EISDIR
            ? quoted(path) + " is a directory, not a program."
            : "The file "
                + quoted(path)
                + " may not be executed: give it execute permission (chmod +x), and check that its"
                + " directories may be entered and its file system is not mounted noexec.";
    return new LaunchFailure(Reason.NOT_EXECUTABLE, Errno.EACCES, message + hint());
  }

  private LaunchFailure notFound(int errno, String message) {
    return new LaunchFailure(Reason.NOT_FOUND, errno, message + hint());
  }

  /** For a whole command line in the place of the program. */
  private String hint() {
    var words = program.strip().split("\\s+");
    if (words.length < 2 || words[0].isEmpty()) {
      return "";
    }
    try {
      new ProgramLookup(words[0], searchPath, directory).find();
    } catch (LaunchFailure e) {
      return "";
    }
    return Arrays.stream(words)
        .map(word -> '"' + word + '"')
        .collect(
            Collectors.joining(
                ", ",
                " The program \"" + words[0] + "\" is there: pass arguments apart, Command.of(",
                ")."));
  }

  private byte[] absolute(byte[] path) {
    if (path[0] == '/') {
      return path;
    }
    var from = base;
    if (from == null) {
      from = base = workingDirectory();
    }
    return join(from, path);
  }

  private byte[] workingDirectory() {
    if (directory != null && directory.length > 0 && directory[0] == '/') {
      return directory;
    }
    var own = FileStatus.link(OWN_DIRECTORY);
    return directory == null ? own : join(own, directory);
  }

  private static byte[] join(byte[] directory, byte[] name) {
    var joined = new ByteArrayOutputStream(directory.length + 1 + name.length);
    joined.writeBytes(directory);
    joined.write('/');
    joined.writeBytes(name);
    return joined.toByteArray();
  }

  private static void checkDirectory(byte[] directory) {
    var rc = 0;
    try {
      rc =
          FileStatus.kind(directory) == FileStatus.Kind.DIRECTORY
              ? FileStatus.mayExecute(directory)
              : -Errno.ENOTDIR;
    } catch (ErrnoException e) {
      rc = -e.errno();
    }
    if (rc < 0) {
      throw new LaunchFailure(
          Reason.BAD_WORKING_DIRECTORY,
          -rc,
          "The working directory " + quoted(directory) + " can't be used: " + why(-rc) + ".");
    }
  }

  /** 0, or why not, negated: EISDIR for a directory. */
  private static int executable(byte[] path) {
    var rc = FileStatus.mayExecute(path);
    if (rc < 0) {
      return rc;
    }
    try {
      return switch (FileStatus.kind(path)) {
        case FILE -> 0;
        case DIRECTORY -> -Errno.EISDIR;
        case OTHER -> -Errno.EACCES;
      };
    } catch (ErrnoException e) {
      return -e.errno();
    }
  }

  private static boolean exists(byte[] path) {
    try {
      FileStatus.kind(path);
      return true;
    } catch (ErrnoException e) {
      return false;
    }
  }

  static String why(int errno) {
    if (errno == Errno.ENOENT) {
      return "it does not exist";
    }
    if (errno == Errno.ENOTDIR) {
      return "it, or a part of its path, is not a directory";
    }
    if (errno == Errno.EACCES) {
      return "it may not be entered, or a directory on the way to it may not";
    }
    return Errno.describe(errno);
  }

  static String quoted(byte[] path) {
    return '"' + text(path) + '"';
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
