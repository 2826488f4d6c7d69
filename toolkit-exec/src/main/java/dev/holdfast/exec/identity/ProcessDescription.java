package dev.holdfast.exec.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What messages say of a process. Never its environment. */
public final class ProcessDescription {
  private static final int LONGEST = 200;

  private ProcessDescription() {}

  /**
   * The command line.
   *
   * @param pid the process
   * @return its arguments with blanks in between, cut to a sane length; a question mark when it
   *     can't be read, as for a process that has just ended
   */
  public static String command(int pid) {
    try {
      byte[] line = Files.readAllBytes(Path.of("/proc", Integer.toString(pid), "cmdline"));
      String text = new String(line, StandardCharsets.UTF_8).replace('\0', ' ').strip();
      return text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
    } catch (IOException e) {
      return "?";
    }
  }
}
