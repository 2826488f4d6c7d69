package dev.holdfast.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * This JVM's class path as an ordinary user can read it: what lies below a directory that is closed
 * to others, as root's local repository does, is copied, once in a JVM.
 */
final class ReadableClassPath {

  private ReadableClassPath() {}

  private static final class Holder {
    static final String VALUE = provide();
  }

  static String own() {
    return entries().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  static String forEveryone() {
    return Holder.VALUE;
  }

  static List<Path> entries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry).toAbsolutePath().normalize())
        .filter(Files::exists)
        .toList();
  }

  private static String provide() {
    var readable = new ArrayList<String>();
    var copies = new Copies();
    for (Path entry : entries()) {
      readable.add((isOpenToAll(entry) ? entry : copies.of(entry)).toString());
    }
    return String.join(File.pathSeparator, readable);
  }

  private static boolean isOpenToAll(Path entry) {
    try {
      if (!Files.getPosixFilePermissions(entry).contains(PosixFilePermission.OTHERS_READ)) {
        return false;
      }
      var first = Files.isDirectory(entry) ? entry : entry.getParent();
      for (Path directory = first; directory != null; directory = directory.getParent()) {
        if (!Files.getPosixFilePermissions(directory)
            .contains(PosixFilePermission.OTHERS_EXECUTE)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static final class Copies {
    private final Path directory = TempTree.create("holdfast-classpath-", "rwxr-xr-x");
    private int number;

    Copies() {
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().unstarted(() -> TempTree.delete(directory)));
    }

    Path of(Path entry) {
      var copy = directory.resolve(number++ + "-" + entry.getFileName());
      try (Stream<Path> files = Files.walk(entry)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          copyOne(file, copy.resolve(entry.relativize(file).toString()));
        }
        return copy;
      } catch (IOException e) {
        throw new UncheckedIOException(
            entry + " can't be copied to where an ordinary user can read it.", e);
      }
    }

    private static void copyOne(Path from, Path to) throws IOException {
      if (Files.isDirectory(from)) {
        Files.createDirectories(to);
      } else {
        Files.write(to, Files.readAllBytes(from));
      }
      var permissions = Files.getPosixFilePermissions(to);
      permissions.add(PosixFilePermission.OTHERS_READ);
      if (Files.isDirectory(to)) {
        permissions.add(PosixFilePermission.OTHERS_EXECUTE);
      }
      Files.setPosixFilePermissions(to, permissions);
    }
  }
}
