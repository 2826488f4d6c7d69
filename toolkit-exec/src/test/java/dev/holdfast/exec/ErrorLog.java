package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** Keeps what is logged while it is open, and hands it on when it closes. */
final class ErrorLog implements AutoCloseable {
  private final PrintStream former = System.err;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

  private ErrorLog() {}

  static ErrorLog open() {
    var log = new ErrorLog();
    System.setErr(new PrintStream(log.kept, true, UTF_8));
    return log;
  }

  String text() {
    return kept.toString(UTF_8);
  }

  @Override
  public void close() {
    System.setErr(former);
    former.print(text());
  }
}
