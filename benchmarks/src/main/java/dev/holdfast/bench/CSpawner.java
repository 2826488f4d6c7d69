package dev.holdfast.bench;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The limit: a C program that does nothing but {@code posix_spawn} and {@code waitpid}, compiled by
 * gcc for one trial. It is one process, which spawns a whole batch for each number that it reads,
 * so a batch costs one round trip over two pipes; it ends at the end of its input, with this JVM at
 * the latest.
 */
@SuppressWarnings("try") // its user is JMH, on whose thread an interrupt ends the run
final class CSpawner implements AutoCloseable {
  private final Path directory;
  private final Process process;
  private final DataOutputStream orders;
  private final DataInputStream answers;

  private CSpawner(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
    this.orders = new DataOutputStream(process.getOutputStream());
    this.answers = new DataInputStream(process.getInputStream());
  }

  /** Compiles and starts it; an {@code IOException} where there is no gcc. */
  static CSpawner start(String program) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("holdfast-bench-");
    try {
      Path source = directory.resolve("spawner.c");
      try (InputStream text = CSpawner.class.getResourceAsStream("spawner.c")) {
        if (text == null) {
          throw new IOException("spawner.c is not on the class path.");
        }
        Files.copy(text, source);
      }
      Path binary = directory.resolve("spawner");
      run("gcc", "-O2", "-Wall", "-Werror", "-o", binary.toString(), source.toString());
      return new CSpawner(
          directory,
          new ProcessBuilder(binary.toString(), program)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start());
    } catch (Throwable t) {
      delete(directory);
      throw t;
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException(String.join(" ", command) + " has exited with " + status + ".");
    }
  }

  /** Spawns so many, one after the other, and waits for each. */
  void spawn(int count) throws IOException {
    orders.writeInt(Integer.reverseBytes(count));
    orders.flush();
    if (Integer.reverseBytes(answers.readInt()) != count) {
      throw new IOException("The C program gave a wrong answer.");
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    orders.close();
    process.waitFor();
    delete(directory);
  }

  private static void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve("spawner.c"));
    Files.deleteIfExists(directory.resolve("spawner"));
    Files.deleteIfExists(directory);
  }
}
