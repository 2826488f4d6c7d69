package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Child;
import dev.holdfast.exec.libc.Fds;
import java.util.Arrays;

/** Owns one armed child, says its pid, and waits to be killed. */
final class WireVictim {
  private WireVictim() {}

  /** Covers to take out, separated by commas, or "none"; then the command. */
  public static void main(String[] args) throws Exception {
    if (!args[0].equals("none")) {
      Cover.takeOut(Arrays.stream(args[0].split(",")).map(Cover::valueOf).toArray(Cover[]::new));
    }
    var command = Arrays.copyOfRange(args, 1, args.length);
    var wire = Tripwire.prepare();
    var placeholder = (Placeholder) Placeholder.create();
    wire.armGroup(placeholder.pid());
    var pid =
        Child.spawn(
            Fds.devNull(),
            placeholder.pid(),
            builder -> builder.wire(wire.childEnd(), Tripwire.CHILD_FD),
            command);
    var rc = wire.armLeader(pid);
    placeholder.reap();
    System.out.println(rc == 0 ? "child " + pid : "not armed " + rc);
    Thread.sleep(120_000);
  }
}
