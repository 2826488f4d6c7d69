package dev.holdfast.exec.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code holdfast demo}: trees that don't want to end, ended in three ways. */
@Command(
    name = "demo",
    description = {
      "Starts trees of processes that do not want to end, and ends them in three ways: by closing"
          + " their scope, by a halt in the middle of a spawn, and by kill -9 of the JVM that owns"
          + " them. Shows what /proc tells before and after each. Takes about ten seconds.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:nothing was left, and each port could be bound again",
      "1:something was left"
    })
final class DemoCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli before call()
  private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Logging.begin(false);
    return new Demo(spec.commandLine().getOut()).play() ? 0 : 1;
  }
}
