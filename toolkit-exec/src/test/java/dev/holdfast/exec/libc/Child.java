package dev.holdfast.exec.libc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Spawns a program by bare native calls, for tests below the spawner. */
public final class Child {
  private Child() {}

  /** Spawns with stdin and stderr from and to /dev/null; returns the pid. */
  public static int spawn(
      int stdout, int group, UnaryOperator<SpawnCall.Builder> more, String... argv) {
    var call = call(stdout, more, argv);
    try (call) {
      call.setGroup(group);
      var rc = call.run();
      if (rc != 0) {
        throw new ErrnoException("posix_spawn", rc);
      }
      return call.pid();
    }
  }

  /** Spawns, reads all of stdout, waits for the end. */
  public static String output(UnaryOperator<SpawnCall.Builder> more, String... argv) {
    var pipe = Fds.pipe();
    var pid = spawn(pipe.writeEnd(), 0, more, argv);
    Fds.close(pipe.writeEnd());
    var text = new StringBuilder();
    var buffer = NativeBlock.allocate(4096);
    for (long n; (n = Fds.read(pipe.readEnd(), buffer, 0, 4096)) > 0; ) {
      var bytes = new byte[(int) n];
      buffer.getBytes(0, bytes, 0, bytes.length);
      text.append(new String(bytes, StandardCharsets.ISO_8859_1));
    }
    Fds.close(pipe.readEnd());
    Waits.reapBlocking(pid);
    return text.toString();
  }

  /** A call that is not made yet; the program is an absolute path. */
  public static SpawnCall call(int stdout, UnaryOperator<SpawnCall.Builder> more, String... argv) {
    var arguments = new ArrayList<byte[]>();
    for (var argument : argv) {
      arguments.add(argument.getBytes(StandardCharsets.UTF_8));
    }
    var builder =
        SpawnCall.builder(arguments.getFirst(), arguments, List.of(utf8("PATH=/usr/bin:/bin")))
            .dup2(Fds.devNull(), 0)
            .dup2(stdout, 1)
            .dup2(Fds.devNull(), 2);
    return more.apply(builder).build();
  }

  /** The bytes of a text. */
  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
