package dev.holdfast.exec.cli;

import dev.holdfast.exec.Containment;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.ExitStatus;
import dev.holdfast.exec.Input;
import dev.holdfast.exec.Output;
import dev.holdfast.exec.Result;
import dev.holdfast.exec.StopPolicy;
import dev.holdfast.exec.spawn.Shutdown;
import dev.holdfast.exec.spawn.Subreaper;
import dev.holdfast.scope.Cause;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast run}: one command in a scope of its own, with this process's stdio. */
@Command(
    name = "run",
    description = {
      "Runs a command with this process's standard streams, and ends all that it started when it"
          + " ends, when its time is up, and when holdfast itself ends, by SIGKILL too.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = Version.class,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "N:the command's own",
      "128+N:signal N ended the command, or holdfast (INT, TERM, HUP)",
      "124:the time was up",
      "125:holdfast failed, or was called in a wrong way",
      "126:the program can't be executed",
      "127:there is no such program"
    })
final class RunCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli before call()
  private CommandSpec spec;

  @Option(
      names = "--timeout",
      paramLabel = "D",
      converter = Durations.class,
      description =
          "End the command after this time. A number with ms, s, m, h or d; a bare number"
              + " is seconds. Default: no limit.")
  private @Nullable Duration timeout;

  @Option(
      names = "--grace",
      paramLabel = "D",
      converter = Durations.class,
      description = "How long the tree has between TERM and KILL. Default: 5s.")
  private Duration grace = StopPolicy.DEFAULT_GRACE;

  @Option(
      names = "--containment",
      paramLabel = "group|tree",
      converter = Reach.class,
      description =
          "What is ended: the process groups of the command, or also what has left them"
              + " (descendants, and all that carry its HOLDFAST_ID). Default: tree.")
  private Containment containment = Containment.TREE;

  @Option(names = "--cwd", paramLabel = "DIR", description = "The command's working directory.")
  private @Nullable Path cwd;

  @Option(
      names = "--env",
      paramLabel = "K=V",
      converter = Variable.Converter.class,
      description = "Set a variable for the command. May be repeated.")
  private List<Variable> env = List.of();

  @Option(names = "--log", description = "Tell of starts, signals and ends on standard error.")
  private boolean log;

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The program and its arguments, after --.")
  private List<String> command = List.of();

  @Override
  public Integer call() throws InterruptedException {
    var planned = planned();
    Logging.begin(log);
    Result result;
    try (ExecScope scope = Exec.scope(options -> options.name("holdfast run"))) {
      Shutdown.allow(grace.toNanos());
      Subreaper.begin();
      result = scope.run(planned);
    }
    return statusOf(result);
  }

  private dev.holdfast.exec.Command planned() {
    if (timeout != null && timeout.isZero()) {
      throw new ParameterException(
          spec.commandLine(), "Option --timeout takes more than zero; leave it out for no limit");
    }
    var planned =
        dev.holdfast.exec.Command.of(command)
            .stdin(Input.inherit())
            .stdout(Output.inherit())
            .stderr(Output.inherit())
            .containment(containment)
            .stop(StopPolicy.graceful(grace));
    for (var variable : env) {
      planned = planned.env(variable.name(), variable.value());
    }
    if (cwd != null) {
      planned = planned.cwd(cwd);
    }
    return timeout == null ? planned : planned.timeout(timeout);
  }

  private int statusOf(Result result) {
    if (result.cause() == Cause.TIMEOUT) {
      return Status.TIMED_OUT;
    }
    if (result.status() instanceof ExitStatus.Unknown unknown) {
      spec.commandLine()
          .getErr()
          .println("holdfast: the command's end is unknown: " + unknown.reason());
    }
    return result.status().shellCode();
  }
}
