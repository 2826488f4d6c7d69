package dev.holdfast.exec.outlive;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.exec.ChildProcess;
import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Input;
import dev.holdfast.exec.Output;
import dev.holdfast.exec.StopPolicy;
import dev.holdfast.exec.spawn.CoverSwitch;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Owns what its arguments say, then does what it is told on stdin.
 *
 * <p>Arguments: commands, set apart by {@value #NEXT}; the word {@value #OWNER} stands for this
 * very program, in another JVM. Prints "child PID" for each and then "owner up"; what the children
 * print comes in between. Commands on stdin: {@code return}, {@code exit N}, {@code halt N}, {@code
 * close}, {@code ping}; at the end of stdin it waits.
 */
final class OwnerVictim {
  static final String NEXT = "---";
  static final String OWNER = "@owner";

  /** {@code inherit} or {@code empty}. */
  static final String STDIN = "holdfast.test.stdin";

  /** The grace of the stop policy in milliseconds. */
  static final String GRACE = "holdfast.test.grace";

  /** Who spawns: {@code main}, {@code platform} or {@code virtual}; the latter two end after it. */
  static final String SPAWNER = "holdfast.test.spawner";

  private OwnerVictim() {}

  public static void main(String[] args) throws Exception {
    CoverSwitch.apply();
    var closing = new CountDownLatch(1);
    var closed = new CountDownLatch(1);
    Thread.ofPlatform().daemon().name("owner").start(() -> own(args, closing, closed));
    obey(closing, closed);
  }

  private static void own(String[] args, CountDownLatch closing, CountDownLatch closed) {
    try (ExecScope scope = Exec.scope(options -> options.stop(stopPolicy()))) {
      for (List<String> words : commands(args)) {
        say("child " + spawn(scope, command(words)).pid());
      }
      say("owner up");
      closing.await();
    } catch (InterruptedException e) {
      say("interrupted");
    }
    closed.countDown();
  }

  /** Returning from it ends the JVM in the normal way, with the scope still open. */
  private static void obey(CountDownLatch closing, CountDownLatch closed) throws Exception {
    var commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (var line = commands.readLine(); line != null; line = commands.readLine()) {
      var words = line.split(" ", 2);
      switch (words[0]) {
        case "return" -> {
          return;
        }
        case "exit" -> System.exit(Integer.parseInt(words[1]));
        case "halt" -> Runtime.getRuntime().halt(Integer.parseInt(words[1]));
        case "close" -> {
          closing.countDown();
          closed.await();
          say("closed");
        }
        default -> say(line);
      }
    }
    Thread.sleep(Duration.ofMinutes(10));
  }

  private static ChildProcess spawn(ExecScope scope, Command command) throws InterruptedException {
    var spawned = new ChildProcess[1];
    Runnable spawning = () -> spawned[0] = scope.spawn(command);
    switch (System.getProperty(SPAWNER, "main")) {
      case "platform" -> Thread.ofPlatform().start(spawning).join();
      case "virtual" -> Thread.ofVirtual().start(spawning).join();
      default -> spawning.run();
    }
    return spawned[0];
  }

  private static Command command(List<String> words) {
    var inherits = System.getProperty(STDIN, "empty").equals("inherit");
    return Command.of(words)
        .stdin(inherits ? Input.inherit() : Input.empty())
        .stdout(Output.inherit())
        .stderr(Output.inherit());
  }

  private static StopPolicy stopPolicy() {
    return StopPolicy.graceful(Duration.ofMillis(Integer.getInteger(GRACE, 300)));
  }

  private static List<List<String>> commands(String[] args) {
    var all = new ArrayList<List<String>>();
    var words = new ArrayList<String>();
    for (String word : args) {
      if (word.equals(NEXT)) {
        all.add(List.copyOf(words));
        words.clear();
      } else if (word.equals(OWNER)) {
        words.addAll(ownCommand());
      } else {
        words.add(word);
      }
    }
    if (!words.isEmpty()) {
      all.add(List.copyOf(words));
    }
    return all;
  }

  private static List<String> ownCommand() {
    return new ArrayList<>(
        Arrays.asList(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx96m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            OwnerVictim.class.getName()));
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
