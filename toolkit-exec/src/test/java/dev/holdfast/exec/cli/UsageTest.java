package dev.holdfast.exec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is refused or answered before anything is run. */
class UsageTest {
  private record Answer(int status, String out, String err) {}

  private static Answer holdfast(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    var status =
        Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(args);
    return new Answer(status, out.toString(), err.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                               | Name a command: run or demo",
        "walk                           | 'walk'",
        "run                            | COMMAND",
        "run --                         | COMMAND",
        "run --timeout                  | '--timeout'",
        "run --timeout soon -- true     | 'soon' is not a duration",
        "run --timeout 0 -- true        | Option --timeout takes more than zero",
        "run --grace 1h30m -- true      | '1h30m' is not a duration",
        "run --grace=-1s -- true        | '-1s' is not a duration",
        "run --containment vm -- true   | 'vm' is neither group nor tree",
        "run --env hunter2 -- true      | it takes NAME=VALUE",
        "run --env =hunter2 -- true     | it takes NAME=VALUE",
        "run --loud -- true             | '--loud'",
        "demo today                     | 'today'"
      })
  void wrongUse_is125_andSaysWhat_onStandardErrorAlone(String line, String said) {
    var args = line == null ? new String[0] : line.split(" ", -1);

    var answer = holdfast(args);

    assertThat(answer.err()).startsWith("holdfast: ").contains(said, "--help");
    assertThat(answer.err()).doesNotContain("hunter2");
    assertThat(answer.status()).isEqualTo(125);
    assertThat(answer.out()).isEmpty();
  }

  @Test
  void forbiddenVariable_is125_withoutItsValue() {
    var answer = holdfast("run", "--env", "HOLDFAST_ID=hunter2", "--", "true");

    assertThat(answer.status()).isEqualTo(125);
    assertThat(answer.err()).contains("HOLDFAST_ID").doesNotContain("hunter2");
  }

  @Test
  void help_names_everyOptionAndStatus() {
    var answer = holdfast("run", "--help");

    assertThat(answer.status()).isZero();
    assertThat(answer.err()).isEmpty();
    assertThat(answer.out())
        .contains("--timeout", "--grace", "--containment", "--cwd", "--env", "--log")
        .contains("124", "125", "126", "127", "128+N");
    assertThat(holdfast("--help").out()).contains("run", "demo");
  }

  @Test
  void version_isTheBuilds() throws IOException {
    var pom = Files.readString(Path.of("pom.xml"));
    var version = pom.substring(pom.indexOf("<version>") + 9, pom.indexOf("</version>"));

    for (String[] args : new String[][] {{"--version"}, {"run", "--version"}, {"demo", "-V"}}) {
      assertThat(holdfast(args))
          .as(Arrays.toString(args))
          .isEqualTo(new Answer(0, "holdfast " + version + System.lineSeparator(), ""));
    }
  }
}
