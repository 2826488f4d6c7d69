package dev.holdfast.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/** Finds the interpreter of the fixture child, the system's first: a version manager's is slow. */
final class Python {

  private static final String SYSTEM = "/usr/bin:/bin:";

  private Python() {}

  static String path() {
    var path = SYSTEM + Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of(path.split(":", -1))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, "python3"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "The testkit's fixture child needs python3, which is in none of "
                        + path
                        + "; install it (Debian: apt-get install python3)."))
        .toString();
  }
}
