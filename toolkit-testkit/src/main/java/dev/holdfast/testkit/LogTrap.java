package dev.holdfast.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/**
 * Holds back what is printed to {@code System.err}, where the loggers of tests write, and gives it
 * out only if the test has failed. At most the first megabyte is kept.
 */
final class LogTrap {

  private static final int LIMIT = 1 << 20;

  private final PrintStream original = System.err;
  private final ByteArrayOutputStream kept = new Bounded();
  private final PrintStream trap = new PrintStream(kept, true, UTF_8);

  private LogTrap() {}

  static LogTrap set() {
    var set = new LogTrap();
    System.setErr(set.trap);
    return set;
  }

  void release(boolean failed) {
    if (System.err.equals(trap)) { // else someone has replaced it since, who will put it back
      System.setErr(original);
    }
    trap.flush();
    if (failed && kept.size() > 0) {
      original.print(kept.toString(UTF_8));
      original.flush();
    }
  }

  private static final class Bounded extends ByteArrayOutputStream {
    @Override
    public synchronized void write(int b) {
      if (count < LIMIT) {
        super.write(b);
      }
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
      super.write(bytes, offset, Math.clamp(LIMIT - (long) count, 0, length));
    }
  }
}
