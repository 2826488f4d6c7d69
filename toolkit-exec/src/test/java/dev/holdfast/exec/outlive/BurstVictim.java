package dev.holdfast.exec.outlive;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.spawn.CoverSwitch;
import java.util.List;

/** Says "spawning", spawns the command in its arguments at once, and waits to be killed. */
final class BurstVictim {
  private BurstVictim() {}

  public static void main(String[] args) throws Exception {
    var command = Command.of(List.of(args));
    for (int i = 0; i < 3; i++) {
      Exec.run("true");
    }
    CoverSwitch.apply();
    try (ExecScope scope = Exec.scope()) {
      System.out.println("spawning");
      scope.spawn(command);
      System.in.read();
    }
  }
}
