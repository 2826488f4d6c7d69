package dev.holdfast.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;

/** A process started by {@code ProcessBuilder}, whose stdout is read here; closing it kills it. */
final class Planted implements AutoCloseable {

  private final Process process;
  private final BufferedReader stdout;

  Planted(List<String> argv) throws IOException {
    process = new ProcessBuilder(argv).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    stdout = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  static Planted fixture(Marker marker, String... commands) throws IOException {
    return new Planted(Fixture.command(marker, commands));
  }

  long pid() {
    return process.pid();
  }

  String line() throws IOException {
    return String.valueOf(stdout.readLine());
  }

  List<String> restOfLines() {
    return stdout.lines().toList();
  }

  void stdin(String text) throws IOException {
    process.getOutputStream().write(text.getBytes(UTF_8));
    process.getOutputStream().close();
  }

  void signal(String name) {
    Signals.send(name, pid());
  }

  int status() {
    return Uninterrupted.waitFor(process);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    status();
    process.getOutputStream().close();
    stdout.close();
    process.getErrorStream().close();
  }
}
