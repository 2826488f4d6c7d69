package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/**
 * The fixture's script as a file that every user may read: written once in a JVM, deleted at its
 * exit. A victim JVM is given its parent's file, as it may not live to delete one.
 */
final class FixtureScript {

  static final String PROPERTY = "holdfast.testkit.fixture";

  private FixtureScript() {}

  private static final class Holder {
    static final Path FILE = provide();
  }

  static Path file() {
    return Holder.FILE;
  }

  private static Path provide() {
    var given = System.getProperty(PROPERTY);
    return given != null ? Path.of(given) : extract();
  }

  private static Path extract() {
    try (var script =
        Objects.requireNonNull(
            FixtureScript.class.getResourceAsStream("fixture.py"), "resource fixture.py")) {
      var file = Files.createTempFile("holdfast-fixture-", ".py");
      file.toFile().deleteOnExit();
      Files.write(file, script.readAllBytes());
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The fixture's script can't be written to " + System.getProperty("java.io.tmpdir") + ".",
          e);
    }
  }
}
