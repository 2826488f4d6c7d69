package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** A temporary directory that other users may use too, and that is deleted with all it holds. */
final class TempTree {

  private TempTree() {}

  static Path create(String prefix, String permissions) {
    try {
      var directory = Files.createTempDirectory(prefix);
      return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
    } catch (IOException e) {
      throw new UncheckedIOException("A temporary directory can't be made.", e);
    }
  }

  static void delete(Path directory) {
    try {
      Files.walkFileTree(directory, new Deleter());
    } catch (IOException e) {
      throw new UncheckedIOException(directory + " can't be deleted.", e);
    }
  }

  private static final class Deleter extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE; // deleted meanwhile
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
