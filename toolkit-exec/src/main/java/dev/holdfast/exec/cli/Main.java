package dev.holdfast.exec.cli;

import dev.holdfast.exec.ExecException;
import dev.holdfast.scope.TeardownException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * The command line. Standard output is the command's that is run: of ours only what was asked for
 * goes there, help, version and the demo. Exit status 125 says that Holdfast itself failed or was
 * called in a wrong way, so that it is told from the command's.
 */
@Command(
    name = "holdfast",
    description = "Runs commands whose processes outlive neither their end nor ours.",
    subcommands = {RunCommand.class, DemoCommand.class},
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
public final class Main implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli before run()
  private CommandSpec spec;

  private Main() {}

  /**
   * Runs one command and exits with its status.
   *
   * @param args as {@code holdfast --help} says
   */
  public static void main(String[] args) {
    System.exit(statusOf(args));
  }

  private static int statusOf(String[] args) {
    try {
      return commandLine().execute(Arguments.asGiven(args));
    } catch (Throwable t) {
      System.err.println("holdfast: " + (t instanceof Exception ? t.getMessage() : t));
      return Status.OWN_FAILURE;
    }
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setExpandAtFiles(false)
        .setStopAtPositional(true)
        .setParameterExceptionHandler(Main::misused)
        .setExecutionExceptionHandler(Main::failed);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Name a command: run or demo");
  }

  private static int misused(ParameterException e, String[] args) {
    var command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("holdfast: " + e.getMessage() + ".");
    err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    return Status.OWN_FAILURE;
  }

  private static int failed(Exception e, CommandLine command, ParseResult parsed) {
    var told = e instanceof ExecException || e instanceof TeardownException;
    command.getErr().println("holdfast: " + (told ? e.getMessage() : e));
    return e instanceof ExecException failure ? Status.of(failure.reason()) : Status.OWN_FAILURE;
  }
}
