package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.exec.spawn.Tripwire;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Descriptor;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.Witnessed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel is asked for by one spawn, as strace(1) sees it. */
@Witnessed(allowedThreads = "holdfast-")
class StraceTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String MARK = "/holdfast-mark-";

  @TempDir private Path dir;

  /** Spawns once between two marks, which are looks at files that don't exist. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      var marker = Marker.ofVictim();
      var sleep = Command.of("/bin/sleep", "300");
      var silent = sleep.stdout(Output.discard()).stderr(Output.discard());
      try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          var file = FileChannel.open(Path.of(args[0]));
          var scope = Exec.scope()) {
        for (var i = 0; i < 30; i++) {
          scope.spawn(i % 2 == 0 ? silent : sleep).kill();
        }
        say("reactor " + thread("holdfast-reacto"));
        mark("silent");
        var first = scope.spawn(silent.env("HOLDFAST_MARK", marker.text()));
        mark("silent-done");
        say("silent " + first.pid());
        mark("tails");
        var second = scope.spawn(sleep.env("HOLDFAST_MARK", marker.text()));
        mark("tails-done");
        say("tails " + second.pid());
        assertThat(server.isBound() && file.isOpen()).isTrue();
        System.in.read();
        mark("end");
        first.kill();
        mark("end-done");
      }
      say("done");
    }

    private static void mark(String name) {
      if (Files.exists(Path.of(MARK + name))) {
        throw new IllegalStateException("A mark exists.");
      }
    }

    private static void say(String line) {
      System.out.println(line);
    }

    private static String thread(String name) throws IOException {
      try (var tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
        for (var task : tasks) {
          if (Files.readString(task.resolve("comm")).strip().equals(name)) {
            return task.getFileName().toString();
          }
        }
      }
      return "0";
    }
  }

  @Test
  void strace_ofOneSpawn_noShellNoDescriptorAndFewCalls(Marker marker, Census census)
      throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")), "needs strace");
    var log = dir.resolve("trace");
    var held = Files.writeString(dir.resolve("held"), "content");
    try (var victim =
        VictimJvm.builder(Victim.class)
            .marker(marker)
            .arg(held.toString())
            .under("strace", "-D", "-f", "-qq", "-s", "256", "-o", log.toString())
            .start()) {
      var reactor = pid(victim, "reactor ");
      var silent = pid(victim, "silent ");
      var tails = pid(victim, "tails ");
      for (var child : List.of(silent, tails)) {
        await().atMost(SOON).untilAsserted(() -> assertHoldsStdioAndTheWireOnly(child));
      }
      victim.send("");
      victim.await("done", SOON);
      assertThat(victim.waitStatus()).isZero();
      await().atMost(SOON).until(() -> Files.readString(log).contains(MARK + "end-done"));

      var trace = Trace.read(log);
      for (var window : List.of(trace.between("silent", silent), trace.between("tails", tails))) {
        window.assertDirect();
        System.out.println(window.summary());
      }
      System.out.println(
          "end of one child: "
              + trace.count(reactor, "end")
              + " system calls on the reactor's thread");
    }
    census.awaitGone(SOON);
  }

  /** Not at once: while it starts, its loader opens libraries. */
  private static void assertHoldsStdioAndTheWireOnly(int child) {
    assertThat(Census.descriptors(child))
        .extracting(Descriptor::number)
        .containsExactlyInAnyOrder(0, 1, 2, Tripwire.CHILD_FD);
  }

  private static int pid(VictimJvm victim, String line) {
    return Integer.parseInt(victim.await(line, SOON).substring(line.length()));
  }

  /** One line of strace's output that begins a call. */
  private record Call(int pid, String text) {
    String name() {
      return text.substring(0, text.indexOf('('));
    }
  }

  private record Trace(List<Call> calls) {
    static Trace read(Path log) throws IOException {
      return new Trace(
          Files.readAllLines(log).stream()
              .map(line -> line.strip().split("\\s+", 2))
              .filter(words -> words.length == 2 && words[1].matches("[a-z0-9_]+\\(.*"))
              .map(words -> new Call(Integer.parseInt(words[0]), words[1]))
              .toList());
    }

    private int find(String mark) {
      for (var i = 0; i < calls.size(); i++) {
        if (calls.get(i).text.contains(MARK + mark + "\"")) {
          return i;
        }
      }
      throw new AssertionError("The trace has no mark " + mark + ".");
    }

    private List<Call> window(String mark) {
      return calls.subList(find(mark) + 1, find(mark + "-done"));
    }

    Window between(String mark, int child) {
      return new Window(mark, child, calls.get(find(mark)).pid, window(mark));
    }

    long count(int pid, String mark) {
      return window(mark).stream().filter(call -> call.pid == pid).count();
    }
  }

  private record Window(String mark, int child, int caller, List<Call> calls) {
    private List<Call> of(int pid) {
      return calls.stream().filter(call -> call.pid == pid).toList();
    }

    /** Up to the exec, that included. */
    private List<Call> beforeExec() {
      var all = of(child);
      for (var i = 0; i < all.size(); i++) {
        if (all.get(i).name().equals("execve")) {
          return all.subList(0, i + 1);
        }
      }
      throw new AssertionError("The child made no exec: " + all);
    }

    private List<Call> births() {
      return calls.stream()
          .filter(call -> call.name().matches("clone3?|v?fork"))
          .filter(call -> !call.text.contains("CLONE_THREAD"))
          .toList();
    }

    void assertDirect() {
      assertThat(births()).as("the placeholder and the child").hasSize(2);
      assertThat(births()).extracting(Call::pid).containsOnly(caller);
      assertThat(calls.stream().filter(call -> call.name().equals("execve")))
          .as("all that was executed")
          .singleElement()
          .satisfies(exec -> assertThat(exec.pid).isEqualTo(child))
          .satisfies(exec -> assertThat(exec.text).matches("execve\\(\"[^\"]*/sleep\".*"));
      assertThat(beforeExec()).extracting(Call::name).contains("close_range");
      assertThat(of(caller)).hasSizeLessThan(75);
      assertThat(beforeExec()).hasSizeLessThan(90);
    }

    String summary() {
      var placeholder =
          calls.stream().map(Call::pid).filter(pid -> isPlaceholder(pid)).distinct().toList();
      return "spawn (%s): %d system calls on the caller's thread, %d in the child up to its exec, %d in the placeholder%n  caller: %s%n  child: %s"
          .formatted(
              mark,
              of(caller).size(),
              beforeExec().size(),
              placeholder.stream().mapToInt(pid -> of(pid).size()).sum(),
              names(of(caller)),
              names(beforeExec()));
    }

    private boolean isPlaceholder(int pid) {
      return pid != caller && of(pid).stream().allMatch(call -> call.name().startsWith("exit"));
    }

    private static String names(List<Call> calls) {
      var names = new java.util.StringJoiner(" ");
      var i = 0;
      while (i < calls.size()) {
        var name = calls.get(i).name();
        var times = 0;
        while (i < calls.size() && calls.get(i).name().equals(name)) {
          times++;
          i++;
        }
        names.add(times == 1 ? name : name + "x" + times);
      }
      return names.toString();
    }
  }
}
