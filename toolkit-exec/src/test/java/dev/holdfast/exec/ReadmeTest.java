package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the README compile as they stand. */
class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Pattern BLOCK =
      Pattern.compile("^```java[^\n]*\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern UNIT =
      Pattern.compile("^(?:public |final )*(?:class|record|interface) (\\w+)", Pattern.MULTILINE);
  private static final Pattern IMPORT = Pattern.compile("^import .*;\n", Pattern.MULTILINE);

  /** What an example without a class of its own is put into. */
  private static final String FRAME =
      """
      import dev.holdfast.exec.*;
      import dev.holdfast.scope.*;
      import java.io.*;
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      %s
      class %s {
        static void example() throws Exception {
      %s
        }
      }
      """;

  @TempDir private Path classes;

  @Test
  void readme_examples_compile() throws IOException {
    assumeTrue(Files.exists(README), "there is no README.md yet");
    var blocks = BLOCK.matcher(Files.readString(README)).results().map(m -> m.group(1)).toList();
    assertThat(blocks).anyMatch(block -> block.contains("Exec.scope()"));

    for (var i = 0; i < blocks.size(); i++) {
      assertThat(faults(unit(blocks.get(i), "Example" + i))).as(blocks.get(i)).isEmpty();
    }
  }

  @Test
  void readme_exampleThatDoesNotCompile_isSeen() throws IOException {
    assertThat(faults(unit("try (var scope = Exec.scope()) { scope.spwan(null); }", "Wrong")))
        .singleElement()
        .asString()
        .contains("spwan");
    assertThat(faults(unit("import nowhere.Nothing;\nExec.scope();", "Lost"))).isNotEmpty();
    assertThat(faults(unit("class Whole { int x = \"\"; }", "Whole"))).isNotEmpty();
  }

  private static JavaFileObject unit(String block, String name) {
    var whole = UNIT.matcher(block);
    if (whole.find()) {
      return source(whole.group(1), block);
    }
    var imports = new StringBuilder();
    IMPORT.matcher(block).results().forEach(match -> imports.append(match.group()));
    return source(name, FRAME.formatted(imports, name, IMPORT.matcher(block).replaceAll("")));
  }

  private static JavaFileObject source(String name, String text) {
    return new SimpleJavaFileObject(
        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  private List<String> faults(JavaFileObject unit) throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var found = new DiagnosticCollector<JavaFileObject>();
    try (var files = compiler.getStandardFileManager(found, Locale.ROOT, UTF_8)) {
      var options =
          List.of(
              "-cp", System.getProperty("java.class.path"), "-d", classes.toString(), "-proc:none");
      compiler.getTask(new StringWriter(), files, found, options, null, List.of(unit)).call();
    }
    var faults = new ArrayList<String>();
    for (var fault : found.getDiagnostics()) {
      if (fault.getKind() == Diagnostic.Kind.ERROR) {
        faults.add(fault.getMessage(Locale.ROOT));
      }
    }
    return faults;
  }
}
