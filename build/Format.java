import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Runs google-java-format over every Java source of the project: {@code check} names the files that
 * are not formatted and fails, {@code rewrite} formats them.
 */
final class Format {
  private Format() {}

  public static void main(String[] args) throws IOException {
    var mode = args[0].equals("rewrite") ? "--replace" : "--dry-run";
    var command = new ArrayList<>(List.of(mode));
    try (Stream<Path> tree = Files.walk(Path.of(""))) {
      tree.filter(Format::isSource).map(Path::toString).sorted().forEach(command::add);
    }
    var unformatted = new StringWriter();
    int status =
        ToolProvider.findFirst("google-java-format")
            .orElseThrow()
            .run(
                new PrintWriter(unformatted),
                new PrintWriter(System.err, true),
                command.toArray(String[]::new));
    if (status == 0 && !unformatted.toString().isEmpty()) {
      System.err.println("These files are not formatted; mvn -N -Pformat process-sources does it:");
      System.err.print(unformatted);
      status = 1;
    }
    System.exit(status);
  }

  private static boolean isSource(Path path) {
    return path.toString().matches("(build|[^/]+/src)/.*\\.java");
  }
}
