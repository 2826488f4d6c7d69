package dev.holdfast.exec.cli;

import dev.holdfast.exec.Containment;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecException;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;
import dev.holdfast.exec.Signal;
import dev.holdfast.exec.StopPolicy;
import dev.holdfast.scope.HaltPoint;
import dev.holdfast.scope.KillPoint;
import dev.holdfast.scope.TeardownException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Three acts: a scope's close, a halt in the middle of a spawn, the death of a JVM. */
final class Demo {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final PrintWriter out;
  private boolean clean = true;

  Demo(PrintWriter out) {
    this.out = out;
  }

  /** Returns whether nothing was left. */
  boolean play() throws IOException, InterruptedException {
    var bystander = new ProcessBuilder("sleep", "60").start();
    try {
      say("A bystander that belongs to no scope: pid %d, sleep 60".formatted(bystander.pid()));
      closeOfTheScope();
      haltInTheMiddle();
      deathOfTheJvm();
      var unharmed = bystander.isAlive();
      clean &= unharmed;
      say(
          "\nThe bystander, pid %d, is %s."
              .formatted(bystander.pid(), unharmed ? "alive" : "GONE"));
    } finally {
      bystander.destroy();
      bystander.waitFor();
    }
    say(clean ? "Nothing is left." : "SOMETHING IS LEFT, or a bystander was harmed: see above.");
    return clean;
  }

  private void closeOfTheScope() throws IOException, InterruptedException {
    say("\n1. The scope is closed: TERM, CONT, one second, KILL");
    var census = DemoCensus.unique();
    int port = 0;
    long start = 0;
    try (ExecScope scope = Exec.scope(options -> options.stop(grace(1_000)))) {
      port = new DemoTrees(scope, census.marker()).stand();
      before(census.await(DemoTrees.PROCESSES, 1), port);
      start = System.nanoTime();
    } catch (TeardownException e) {
      tell(e);
    }
    after(census.awaitNone(Duration.ZERO), start, "after the begin of close");
    bindAgain(port);
  }

  private void haltInTheMiddle() throws IOException, InterruptedException {
    say("\n2. The scope is halted in the middle of a spawn");
    haltAt("spawn.prepared", "nothing exists yet");
    haltAt("spawn.armed", "the scope knows the slot, the process does not exist");
    haltAt("spawn.called", "the process exists, nobody has taken it over");
    haltAt("spawn.published", "the process is about to be handed out");
  }

  private void haltAt(String point, String what) throws IOException, InterruptedException {
    say("   at %s: %s".formatted(point, what));
    var census = DemoCensus.unique();
    long start = 0;
    try (ExecScope scope = Exec.scope(options -> options.stop(grace(300)))) {
      var trees = new DemoTrees(scope, census.marker());
      trees.startSome();
      list("before", census.await(DemoTrees.SOME, 0));
      start = System.nanoTime();
      spawnHaltedAt(point, scope, trees);
    } catch (TeardownException e) {
      tell(e);
    }
    after(census.awaitNone(Duration.ZERO), start, "after the begin of the spawn");
  }

  /** Spawns one more tree; the halt strikes on the spawning thread itself. */
  private void spawnHaltedAt(String point, ExecScope scope, DemoTrees trees) {
    HaltPoint.inject(at -> haltIf(at.name().equals(point), scope));
    KillPoint.inject(at -> haltIf(at.name().equals(point), scope));
    try {
      trees.startStopped();
      say("     the spawn went through, and SHOULD NOT HAVE");
      clean = false;
    } catch (ExecException e) {
      say("     the spawn: %s".formatted(e.reason()));
      clean &= e.reason() == ExecException.Reason.SCOPE_HALTED;
    } finally {
      HaltPoint.inject(null);
      KillPoint.inject(null);
    }
  }

  private static void haltIf(boolean here, ExecScope scope) {
    if (here) {
      scope.halt();
    }
  }

  private void deathOfTheJvm() throws IOException, InterruptedException {
    say("\n3. The JVM that owns the trees is killed: kill -9");
    var census = DemoCensus.unique();
    try (ExecScope scope = Exec.scope()) {
      var victim =
          scope.spawn(
              OwnJvm.command(DemoVictim.class, census.marker())
                  .stdout(Output.pipe())
                  .stderr(Output.inherit())
                  .containment(Containment.GROUP));
      var standing = victim.lines().filter(said -> said.startsWith(DemoVictim.SAYS)).findFirst();
      if (standing.isEmpty()) {
        throw new IllegalStateException("The second JVM has ended before its time.");
      }
      var port = Integer.parseInt(standing.get().substring(DemoVictim.SAYS.length()));
      before(census.await(DemoTrees.PROCESSES, 1), port);
      var start = System.nanoTime();
      victim.signal(Signal.KILL); // the JVM alone; its trees are in groups of their own
      after(census.awaitNone(PATIENCE), start, "after kill -9 %d".formatted(victim.pid()));
      bindAgain(port);
    }
  }

  /** The census shows who it was. */
  private void tell(TeardownException e) {
    clean = false;
    say("     " + e.getMessage());
  }

  private static StopPolicy grace(long millis) {
    return StopPolicy.graceful(Duration.ofMillis(millis));
  }

  private void before(List<DemoCensus.Seen> seen, int port) {
    list("before", seen);
    say("     port %d is held by the last of them".formatted(port));
  }

  private void list(String when, List<DemoCensus.Seen> processes) {
    say("     %s: %d processes".formatted(when, processes.size()));
    for (var seen : processes) {
      say("       %7d  %c  %s".formatted(seen.pid(), seen.state(), shortened(seen.command())));
    }
  }

  private static String shortened(String command) {
    if (command.contains(PortHolder.class.getName())) {
      return "java ... " + PortHolder.class.getSimpleName();
    }
    return command.length() > 60 ? command.substring(0, 57) + "..." : command;
  }

  private void after(List<DemoCensus.Seen> left, long start, String since) {
    var millis = (System.nanoTime() - start) / 1_000_000;
    if (left.isEmpty()) {
      say(
          "     after: no process, %s ms %s"
              .formatted(String.format(Locale.ROOT, "%,d", millis), since));
    } else {
      clean = false;
      list("AFTER", left);
    }
  }

  private void bindAgain(int port) throws IOException {
    var free = PortHolder.isFree(port);
    clean &= free;
    say("     port %d %s".formatted(port, free ? "can be bound again" : "IS STILL HELD"));
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }
}
