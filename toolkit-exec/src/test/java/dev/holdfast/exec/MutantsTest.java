package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Each of {@code build/mutants} takes a guarantee out, and the tests of that guarantee fail. */
@Tag("long")
class MutantsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Shared, so that only what a mutant changes is compiled again. */
  @TempDir private static Path copy;

  @TestFactory
  Stream<DynamicTest> mutants() throws IOException {
    try (var files = Files.list(ROOT.resolve("build/mutants"))) {
      var ids =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".patch"))
              .map(name -> name.substring(0, name.length() - ".patch".length()))
              .sorted()
              .toList();
      assertThat(ids).hasSizeGreaterThanOrEqualTo(3);
      return ids.stream().map(id -> DynamicTest.dynamicTest(id, () -> assertCaught(id)));
    }
  }

  private static void assertCaught(String id) throws Exception {
    var builder = new ProcessBuilder(command(id)).redirectErrorStream(true);
    builder.environment().put("HOLDFAST_MUTANTS", copy.toString());
    var run = builder.start();
    try (var output = run.inputReader(UTF_8)) {
      var lines = output.lines().toList();
      lines.forEach(System.out::println);
      assertThat(run.waitFor()).as(String.join("\n", lines)).isZero();
      assertThat(lines).singleElement().asString().startsWith(id + ": caught by ");
    } finally {
      run.destroyForcibly();
    }
  }

  /** What the build around this test has loaded is enough, and where it has put it. */
  private static List<String> command(String id) {
    var command = new ArrayList<>(List.of(ROOT.resolve("build/run-mutants").toString()));
    var repository = System.getProperty("localRepository");
    if (repository != null) {
      command.addAll(List.of("-o", "-Dmaven.repo.local=" + repository));
    }
    command.add(id);
    return command;
  }
}
