package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Prepares a {@link VictimJvm}: this JVM's Java home and class path, small heap, serial collector,
 * first compiler only, native access allowed, own working and temporary directory. Neither agents
 * (JaCoCo) nor the environment's Java options are inherited.
 *
 * <p>For one thread. May start several victims, one after the other or at once.
 */
public final class VictimJvmBuilder {

  private static final int NOBODY = 65_534;
  private static final List<String> JAVA_OPTIONS_VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private final String main;
  private final List<String> prefix = new ArrayList<>();
  private final List<String> jvmArguments = new ArrayList<>();
  private final Map<String, String> properties = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final List<String> arguments = new ArrayList<>();
  private boolean ordinaryUser;
  private @Nullable VictimArchive archive;
  private VictimJvm.Trigger trigger = process -> line -> {};

  VictimJvmBuilder(String main) {
    this.main = main;
  }

  /**
   * Adds an argument of the main class.
   *
   * @param argument the argument
   * @return this
   */
  public VictimJvmBuilder arg(String argument) {
    arguments.add(Objects.requireNonNull(argument, "argument"));
    return this;
  }

  /**
   * Adds a system property.
   *
   * @param name its name
   * @param value its value
   * @return this
   */
  public VictimJvmBuilder systemProperty(String name, String value) {
    properties.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return this;
  }

  /**
   * Tells the victim the test's marker, which it reads with {@link Marker#ofVictim()}. The victim
   * carries it too, in its arguments: see {@link Census#except}.
   *
   * @param marker the marker
   * @return this
   */
  public VictimJvmBuilder marker(Marker marker) {
    return systemProperty(VictimJvm.MARKER_PROPERTY, marker.text());
  }

  /**
   * Adds an environment variable.
   *
   * @param name its name
   * @param value its value
   * @return this
   */
  public VictimJvmBuilder env(String name, String value) {
    environment.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return this;
  }

  /**
   * Adds an option of the JVM, which overrides the testkit's own.
   *
   * @param option such as {@code -Xmx4g}
   * @return this
   */
  public VictimJvmBuilder jvmArg(String option) {
    jvmArguments.add(Objects.requireNonNull(option, "option"));
    return this;
  }

  /**
   * Starts the JVM through another program, which should become it by exec so that the pid is the
   * JVM's: {@code prlimit --nofile=64}, {@code setsid}, {@code nice}.
   *
   * @param command the program and its own arguments
   * @return this
   */
  public VictimJvmBuilder under(String... command) {
    prefix.addAll(Arrays.asList(command));
    return this;
  }

  /**
   * Runs the victim as user and group 65534 when this JVM is root (setpriv(1)), else as this JVM's
   * own user, which is ordinary already. Parts of the class path that others can't read are copied
   * first.
   *
   * @return this
   */
  public VictimJvmBuilder asOrdinaryUser() {
    ordinaryUser = isRoot();
    return this;
  }

  /**
   * Starts the victim from an archive, which is faster.
   *
   * @param archive open as long as victims are started
   * @return this
   */
  public VictimJvmBuilder from(VictimArchive archive) {
    this.archive = Objects.requireNonNull(archive, "archive");
    return this;
  }

  /**
   * Sends SIGKILL a moment after the victim has printed a line, from the thread that reads it, so
   * that the delay is kept to some tens of microseconds.
   *
   * @param mark how the line begins
   * @param delay counted from the reading of the line
   * @return this
   */
  public VictimJvmBuilder killAfter(String mark, Duration delay) {
    trigger =
        process ->
            line -> {
              if (line.startsWith(mark)) {
                spin(delay);
                process.destroyForcibly();
              }
            };
    return this;
  }

  /**
   * Starts a victim.
   *
   * @return the victim, to be closed
   */
  public VictimJvm start() {
    var directory = TempTree.create("holdfast-victim-", "rwxrwxrwx");
    try {
      var builder = new ProcessBuilder();
      JAVA_OPTIONS_VARIABLES.forEach(builder.environment()::remove);
      builder.environment().putAll(environment);
      return new VictimJvm(argv(directory), builder, directory, trigger);
    } catch (IOException e) {
      TempTree.delete(directory);
      throw new UncheckedIOException("The victim JVM can't be started.", e);
    }
  }

  private List<String> argv(Path directory) {
    var argv = new ArrayList<>(prefix);
    if (ordinaryUser) {
      argv.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
    }
    argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    argv.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Xms8m",
            "-Xmx96m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=" + directory.resolve("hs_err.log"),
            "-Djava.io.tmpdir=" + directory,
            "-D" + FixtureScript.PROPERTY + "=" + FixtureScript.file()));
    properties.forEach((name, value) -> argv.add("-D" + name + "=" + value));
    if (archive != null) {
      argv.addAll(archive.options());
    }
    argv.addAll(jvmArguments);
    argv.addAll(List.of("-cp", classPath(), main));
    argv.addAll(arguments);
    return argv;
  }

  private String classPath() {
    if (archive != null) {
      return archive.classPath();
    }
    return ordinaryUser ? ReadableClassPath.forEveryone() : ReadableClassPath.own();
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      throw new UncheckedIOException("The owner of /proc/self can't be read.", e);
    }
  }

  private static void spin(Duration delay) {
    long end = System.nanoTime() + delay.toNanos();
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
