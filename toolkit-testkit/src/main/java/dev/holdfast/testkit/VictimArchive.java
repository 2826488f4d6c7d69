package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The classes of a victim, loaded and linked ahead of time (JEP 483, JEP 514), for tests that start
 * hundreds of them: each takes about two thirds of the time. It holds this JVM's class path too, as
 * jars that every user may read, since only classes from jars can be archived.
 *
 * <pre>{@code
 * try (var archive = VictimArchive.train(VictimJvm.builder(Owner.class).marker(marker))) {
 *   VictimJvm.builder(Owner.class).from(archive).start();
 * }
 * }</pre>
 */
public final class VictimArchive implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(VictimArchive.class);
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Path directory;
  private final Path cache;
  private final String classPath;

  private VictimArchive() {
    directory = TempTree.create("holdfast-archive-", "rwxr-xr-x");
    cache = directory.resolve("victim.aot");
    classPath = String.join(":", jars(directory));
  }

  /**
   * Runs a victim once, to learn which classes it uses. Without success, which is logged, victims
   * start from the archive as fast as without it.
   *
   * @param builder a victim that ends by itself when it has read a line from stdin; other main
   *     classes may be started from the archive too
   * @return the archive, to be closed after the last victim
   */
  public static VictimArchive train(VictimJvmBuilder builder) {
    var archive = new VictimArchive();
    try {
      archive.fill(builder);
      return archive;
    } catch (Throwable t) {
      archive.close();
      throw t;
    }
  }

  private void fill(VictimJvmBuilder builder) {
    try (var victim = builder.from(this).jvmArg("-XX:AOTCacheOutput=" + cache).start()) {
      tell(victim);
      victim.waitStatus(LIMIT);
      if (Files.exists(cache)) {
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rw-r--r--"));
      } else {
        LOG.warn("There is no archive of {}.{}", victim, victim.output());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The archive " + cache + " can't be made readable.", e);
    }
  }

  private static void tell(VictimJvm victim) {
    try {
      victim.send("");
    } catch (UncheckedIOException e) {
      LOG.debug("{} does not read.", victim, e);
    }
  }

  String classPath() {
    return classPath;
  }

  /** The JVM's options; none before the archive is there. */
  List<String> options() {
    return Files.exists(cache) ? List.of("-XX:AOTCache=" + cache) : List.of();
  }

  /** Deletes the archive. Victims that still start from it may fail. */
  @Override
  public void close() {
    TempTree.delete(directory);
  }

  private static List<String> jars(Path directory) {
    var jars = new ArrayList<String>();
    try {
      for (Path entry : ReadableClassPath.entries()) {
        var jar = directory.resolve(jars.size() + "-" + entry.getFileName() + ".jar");
        if (Files.isDirectory(entry)) {
          pack(entry, jar);
        } else {
          Files.copy(entry, jar);
        }
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        jars.add(jar.toString());
      }
      return jars;
    } catch (IOException e) {
      TempTree.delete(directory);
      throw new UncheckedIOException("The class path can't be packed.", e);
    }
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (var out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
        out.putNextEntry(new JarEntry(Objects.toString(classes.relativize(file))));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }
}
