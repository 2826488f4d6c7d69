package dev.holdfast.scope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real OutOfMemoryErrors, in a JVM of its own with a small heap. */
class OutOfMemoryTest {

  @Test
  void e34_scopeUsedAndClosedWithAFullHeap_losesNothing(@TempDir Path directory) throws Exception {
    Path output = directory.resolve("output");
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx24m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                OutOfMemoryMain.class.getName(),
                "" + Profile.times(60, 1_500))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(jvm.waitFor(Profile.times(100, 900), TimeUnit.SECONDS)).isTrue();
      String text = Files.readString(output, UTF_8);
      System.out.print(text);
      assertThat(text).contains("held, with ");
      assertThat(text).doesNotContain("held, with 0 ");
      assertThat(jvm.exitValue()).isZero();
    } finally {
      jvm.destroyForcibly();
    }
  }
}
