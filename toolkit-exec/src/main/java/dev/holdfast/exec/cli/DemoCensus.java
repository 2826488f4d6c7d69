package dev.holdfast.exec.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Counts the demo's processes by a variable that they all inherit. It reads {@code /proc} and
 * nothing of the library, so that it is no witness in its own case.
 */
final class DemoCensus {
  static final String VARIABLE = "HOLDFAST_DEMO";

  private static final Path PROC = Path.of("/proc");
  private static final String NUMBER = "[0-9]*";

  private final String marker;

  /** A live process. */
  record Seen(long pid, char state, String command) {}

  DemoCensus(String marker) {
    this.marker = marker;
  }

  static DemoCensus unique() {
    return new DemoCensus(UUID.randomUUID().toString());
  }

  String marker() {
    return marker;
  }

  /** One look: whoever is between fork and exec may be missed. */
  List<Seen> live() throws IOException {
    var found = new ArrayList<Seen>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, NUMBER)) {
      for (Path process : processes) {
        var seen = seen(process);
        if (seen != null) {
          found.add(seen);
        }
      }
    }
    found.sort((a, b) -> Long.compare(a.pid(), b.pid()));
    return found;
  }

  /** Looks until so many live, of which so many are stopped. */
  List<Seen> await(int count, int stopped) throws IOException, InterruptedException {
    var end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (true) {
      var now = live();
      var stops = now.stream().filter(seen -> seen.state() == 'T').count();
      if (now.size() == count && stops == stopped) {
        return now;
      }
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "Of %d processes, %d of them stopped, the census sees %s."
                .formatted(count, stopped, now));
      }
      Thread.sleep(2);
    }
  }

  /** Nobody, when two looks in a row find nobody; else who is left when the time is up. */
  List<Seen> awaitNone(Duration limit) throws IOException {
    var end = System.nanoTime() + limit.toNanos();
    while (true) {
      var left = live();
      if (left.isEmpty()) {
        left = live();
      }
      if (left.isEmpty() || System.nanoTime() - end > 0) {
        return left;
      }
    }
  }

  private @Nullable Seen seen(Path process) {
    try {
      if (!read(process, "environ").contains("\0" + VARIABLE + "=" + marker + "\0")) {
        return null;
      }
      var stat = read(process, "stat");
      var state = stat.charAt(stat.lastIndexOf(')') + 2);
      return state == 'Z' || state == 'X'
          ? null
          : new Seen(
              Long.parseLong(process.getFileName().toString()),
              state,
              read(process, "cmdline").replace('\0', ' ').strip());
    } catch (IOException | StringIndexOutOfBoundsException e) {
      return null; // it has ended, or is another user's
    }
  }

  /** Begins with a NUL, as if another string stood before it. */
  private static String read(Path process, String file) throws IOException {
    return "\0"
        + new String(Files.readAllBytes(process.resolve(file)), StandardCharsets.ISO_8859_1);
  }
}
