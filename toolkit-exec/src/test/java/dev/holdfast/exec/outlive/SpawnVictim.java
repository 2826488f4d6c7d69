package dev.holdfast.exec.outlive;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.exec.ChildProcess;
import dev.holdfast.exec.Command;
import dev.holdfast.exec.Containment;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;
import dev.holdfast.exec.StopPolicy;
import dev.holdfast.exec.libc.KillPointLibc;
import dev.holdfast.exec.libc.Libc;
import dev.holdfast.exec.libc.Native;
import dev.holdfast.exec.spawn.CoverSwitch;
import dev.holdfast.testkit.KillPoints;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

/**
 * Spawns the command in its arguments, waits for its first line, and closes the scope. Its kill
 * points are those of the product, and one before and one after every native call; only the reads
 * of {@code /proc} that the scanner makes by the hundred have none.
 */
final class SpawnVictim {
  private SpawnVictim() {}

  @SuppressWarnings("try") // the points are there until the JVM is gone
  public static void main(String[] args) throws Exception {
    CoverSwitch.apply();
    try (var points = Native.intercept(SpawnVictim::withPoints)) {
      Exec.run("true");
      KillPoints.install();
      spawnAndClose(Command.of(List.of(args)));
      System.out.println("done");
      System.in.read();
    }
  }

  private static void spawnAndClose(Command command) throws IOException {
    try (ExecScope scope = Exec.scope()) {
      ChildProcess child =
          scope.spawn(
              command
                  .stdout(Output.pipe())
                  .stderr(Output.discard())
                  .containment(Containment.GROUP)
                  .stop(StopPolicy.graceful(Duration.ofMillis(50))));
      new BufferedReader(new InputStreamReader(child.stdout(), UTF_8)).readLine();
    }
  }

  private static Libc withPoints(Libc libc) {
    var points = KillPointLibc.around(libc);
    return (Libc)
        Proxy.newProxyInstance(
            Libc.class.getClassLoader(),
            new Class<?>[] {Libc.class},
            (proxy, method, arguments) -> {
              try {
                return method.invoke(isLooking(method.getName()) ? libc : points, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static boolean isLooking(String call) {
    return Thread.currentThread().getName().equals("holdfast-scanner")
        && (call.equals("open") || call.equals("read") || call.equals("close"));
  }
}
