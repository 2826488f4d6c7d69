package dev.holdfast.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class LogTrapTest {

  @Test
  void release_failedTest_givesOutWhatWasLogged() {
    assertThat(printed(true)).isEqualTo("a line");
  }

  @Test
  void release_passedTest_givesOutNothing() {
    assertThat(printed(false)).isEmpty();
  }

  private static String printed(boolean failed) {
    var original = System.err;
    var sink = new ByteArrayOutputStream();
    System.setErr(new PrintStream(sink, true, UTF_8));
    try {
      var trap = LogTrap.set();
      System.err.print("a line");
      trap.release(failed);
    } finally {
      System.setErr(original);
    }
    return sink.toString(UTF_8);
  }
}
