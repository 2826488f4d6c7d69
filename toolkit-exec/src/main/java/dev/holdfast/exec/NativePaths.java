package dev.holdfast.exec;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Objects;

/** Checks on paths that the kernel has to understand. */
final class NativePaths {
  private static final Charset FILE_NAMES = fileNames();

  private NativePaths() {}

  /** Returns the path; refuses one of a foreign file system, such as the inside of a jar. */
  static Path requireNative(Path path, String parameter) {
    Objects.requireNonNull(path, parameter);
    if (!path.getFileSystem().equals(FileSystems.getDefault())) {
      throw new IllegalArgumentException(
          "A process can't reach "
              + path.toUri()
              + " ("
              + parameter
              + "), which is not in the default file system; copy it to a real file first.");
    }
    return path;
  }

  /** Returns the bytes of the absolute path, as the JDK itself would hand them to the kernel. */
  static byte[] bytes(Path path) {
    return path.toAbsolutePath().toString().getBytes(FILE_NAMES);
  }

  private static Charset fileNames() {
    try {
      return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    } catch (IllegalArgumentException e) {
      return StandardCharsets.UTF_8;
    }
  }
}
