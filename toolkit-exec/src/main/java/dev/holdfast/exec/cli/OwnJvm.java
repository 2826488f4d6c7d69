package dev.holdfast.exec.cli;

import dev.holdfast.exec.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A small JVM like this one, for another main class of it. */
final class OwnJvm {
  private OwnJvm() {}

  static Command command(Class<?> main, String... args) {
    var words = new ArrayList<String>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
    words.addAll(Arrays.asList(args));
    return Command.of(words);
  }
}
