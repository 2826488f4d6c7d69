package dev.holdfast.scope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** Takes what the logger of the tests prints to {@code System.err}. */
final class LogCapture implements AutoCloseable {
  private final PrintStream original = System.err;
  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

  LogCapture() {
    System.setErr(new PrintStream(taken, true, UTF_8));
  }

  String text() {
    return taken.toString(UTF_8);
  }

  @Override
  public void close() {
    System.setErr(original);
  }
}
