package dev.holdfast.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads {@code /proc}. What vanishes while it is read is absent, never an error. */
final class ProcFs {

  private static final Path PROC = Path.of("/proc");

  private ProcFs() {}

  /** The pids listed in {@code /proc}: thread-group leaders only, other threads are not listed. */
  static List<Long> pids() {
    return numbersIn(PROC);
  }

  static Optional<ProcessEntry> entry(long pid) {
    return read(PROC.resolve(pid + "/stat")).map(stat -> parse(pid, stat));
  }

  /** The text is Latin-1 for its bytes, so that a marker in ASCII is found among any of them. */
  static boolean mentions(ProcessEntry entry, String text) {
    var directory = PROC.resolve(Long.toString(entry.pid()));
    if (mentionedIn(directory, text)) {
      return true;
    }
    // The leader has called pthread_exit: its files are empty, those of its living threads are not.
    return entry.state() == 'Z'
        && entry.threads() > 1
        && numbersIn(directory.resolve("task")).stream()
            .anyMatch(tid -> mentionedIn(directory.resolve("task/" + tid), text));
  }

  static List<Descriptor> descriptors(long pid) {
    var directory = PROC.resolve(pid + "/fd");
    var open = new ArrayList<Descriptor>();
    for (long number : numbersIn(directory)) {
      target(directory.resolve(Long.toString(number)))
          .filter(target -> !target.equals("/proc/" + pid + "/fd"))
          .ifPresent(target -> open.add(new Descriptor((int) number, target)));
    }
    return open;
  }

  private static Optional<String> target(Path link) {
    try {
      return Optional.of(Files.readSymbolicLink(link).toString());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static boolean mentionedIn(Path directory, String text) {
    return read(directory.resolve("cmdline")).filter(s -> s.contains(text)).isPresent()
        || read(directory.resolve("environ")).filter(s -> s.contains(text)).isPresent();
  }

  private static ProcessEntry parse(long pid, String stat) {
    int open = stat.indexOf('(');
    int close = stat.lastIndexOf(')'); // the name may hold both parentheses and blanks
    var fields = stat.substring(close + 2).trim().split(" ", -1);
    var name = "[" + stat.substring(open + 1, close) + "]";
    return new ProcessEntry(
        pid,
        Long.parseLong(fields[1]),
        Long.parseLong(fields[2]),
        Long.parseLong(fields[3]),
        fields[0].charAt(0),
        Integer.parseInt(fields[17]),
        Long.parseLong(fields[19]),
        commandLine(pid).orElse(name));
  }

  private static Optional<String> commandLine(long pid) {
    return read(PROC.resolve(pid + "/cmdline"))
        .map(raw -> raw.replace('\0', ' ').trim())
        .filter(line -> !line.isEmpty());
  }

  private static Optional<String> read(Path file) {
    try {
      var text = new String(Files.readAllBytes(file), ISO_8859_1);
      return text.isEmpty() ? Optional.empty() : Optional.of(text);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static List<Long> numbersIn(Path directory) {
    var numbers = new ArrayList<Long>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        var name = entry.getFileName().toString();
        if (name.chars().allMatch(c -> c >= '0' && c <= '9')) {
          numbers.add(Long.parseLong(name));
        }
      }
    } catch (java.nio.file.DirectoryIteratorException e) {
      return numbers; // the process has ended while it was listed
    } catch (IOException e) {
      if (directory.equals(PROC)) {
        throw new UncheckedIOException("/proc can't be listed; the census needs it.", e);
      }
    }
    return numbers;
  }
}
