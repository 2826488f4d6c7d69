package dev.holdfast.exec.cli;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;

/** The trees of the demo, each with its own way of not ending. */
final class DemoTrees {
  /** How many processes {@link #stand} leaves alive. */
  static final int PROCESSES = 5;

  /** How many processes {@link #startSome} leaves alive. */
  static final int SOME = 3;

  private final ExecScope scope;
  private final String marker;

  DemoTrees(ExecScope scope, String marker) {
    this.scope = scope;
    this.marker = marker;
  }

  /** Starts one of each. Returns the port that is held. */
  int stand() {
    startSome();
    startStopped();
    var holder = scope.spawn(marked(OwnJvm.command(PortHolder.class)).stdout(Output.pipe()));
    var line = holder.lines().filter(said -> said.startsWith(PortHolder.SAYS)).findFirst();
    return line.map(said -> Integer.valueOf(said.substring(PortHolder.SAYS.length())))
        .orElseThrow(
            () -> new IllegalStateException("The port holder has ended: " + holder.tails()));
  }

  void startSome() {
    scope.spawn(shell("trap '' TERM; sleep 600; :")); // both ignore TERM
    scope.spawn(shell("(sleep 600 &)")); // ends at once; the sleep has no parent of ours
  }

  void startStopped() {
    scope.spawn(shell("kill -STOP $$; :"));
  }

  private Command shell(String script) {
    return marked(Command.shell(script)).stdout(Output.discard()).stderr(Output.discard());
  }

  private Command marked(Command command) {
    return command.env(DemoCensus.VARIABLE, marker);
  }
}
