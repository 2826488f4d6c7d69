package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.Witnessed;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a JVM in the locale C hands on: it can't even decode it. */
@Witnessed(allowedThreads = "holdfast-")
class InheritedBytesTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final HexFormat HEX = HexFormat.of();
  private static final String ARGUMENT = "ä€😀";

  /** Becomes the JVM, with variables that neither a shell nor Java would let pass. */
  private static final String LAUNCHER =
      """
      import os, sys
      os.environb[b'LC_ALL'] = b'C'
      os.environb[b'RAW'] = bytes([0xff, 0xe4, 0x80, 0x3d, 0x0a])
      os.environb[b'UTF'] = 'ä€😀'.encode()
      os.environb[b'spring.x-y'] = b'dotted'
      os.environb[b'\\xe4\\xff'] = b'name'
      os.execvp(sys.argv[1], sys.argv[1:])
      """;

  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      System.out.println("charset " + System.getProperty("sun.jnu.encoding"));
      try (var scope = Exec.scope()) {
        var env = scope.run(Command.of("env", "-0").env("OWN", ARGUMENT)).expectSuccess();
        for (var entry : new String(env.stdoutBytes(), ISO_8859_1).split("\0", -1)) {
          System.out.println("env " + HEX.formatHex(entry.getBytes(ISO_8859_1)));
        }
        var argument = scope.run(Command.of("printf", "%s", ARGUMENT)).expectSuccess();
        System.out.println("argument " + HEX.formatHex(argument.stdoutBytes()));
      }
      System.out.println("done");
    }
  }

  @Test
  void env05_localeC_argumentsAndInheritedVariablesKeepTheirBytes(Marker marker, Census census) {
    try (var victim =
        VictimJvm.builder(Victim.class).marker(marker).under("python3", "-c", LAUNCHER).start()) {
      victim.await("done", SOON);

      assertThat(victim.lines())
          .as("the JVM knows no other characters than ASCII")
          .contains("charset ANSI_X3.4-1968")
          .contains("argument " + HEX.formatHex(ARGUMENT.getBytes(UTF_8)))
          .containsAll(
              List.of(
                  line("RAW=", 0xff, 0xe4, 0x80, 0x3d, 0x0a),
                  line("UTF=ä€😀"),
                  line("spring.x-y=dotted"),
                  "env e4ff" + HEX.formatHex("=name".getBytes(UTF_8)),
                  line("OWN=ä€😀")));
    }
    census.awaitGone(SOON);
  }

  private static String line(String text, int... more) {
    var line = new StringBuilder("env ").append(HEX.formatHex(text.getBytes(UTF_8)));
    for (var b : more) {
      line.append(HEX.toHexDigits((byte) b));
    }
    return line.toString();
  }
}
