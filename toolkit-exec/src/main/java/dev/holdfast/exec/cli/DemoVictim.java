package dev.holdfast.exec.cli;

import dev.holdfast.exec.Exec;
import java.time.Duration;

/** Main of the JVM that the demo kills: it owns trees, says so, and waits. */
final class DemoVictim {
  static final String SAYS = "standing ";

  private DemoVictim() {}

  public static void main(String[] args) throws InterruptedException {
    Logging.begin(false);
    try (var scope = Exec.scope()) {
      System.out.println(SAYS + new DemoTrees(scope, args[0]).stand());
      Thread.sleep(Duration.ofMinutes(10));
    }
  }
}
