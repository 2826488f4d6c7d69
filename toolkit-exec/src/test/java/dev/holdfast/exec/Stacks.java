package dev.holdfast.exec;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The stacks of all threads, virtual ones too. */
final class Stacks {
  private static final Pattern VIRTUAL = Pattern.compile("#\\d+ \"([^\"]*)\" virtual.*");

  private Stacks() {}

  static String all() {
    try {
      Path directory = Files.createTempDirectory("holdfast-stacks");
      Path file = directory.resolve("threads.txt");
      try {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        return Files.readString(file);
      } finally {
        Files.deleteIfExists(file);
        Files.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The threads can't be dumped.", e);
    }
  }

  /** The names of the virtual threads that live, "" for those without. */
  static List<String> virtualThreads() {
    return all()
        .lines()
        .map(VIRTUAL::matcher)
        .filter(java.util.regex.Matcher::matches)
        .map(matcher -> matcher.group(1))
        .toList();
  }
}
