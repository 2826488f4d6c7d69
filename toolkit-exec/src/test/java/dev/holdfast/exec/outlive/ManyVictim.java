package dev.holdfast.exec.outlive;

import dev.holdfast.exec.Command;
import dev.holdfast.exec.Exec;
import dev.holdfast.exec.ExecScope;
import dev.holdfast.exec.Output;
import dev.holdfast.exec.libc.Libc;
import dev.holdfast.exec.libc.Native;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;

/**
 * Owns many children. Arguments: how many, the number of the signal that its wires send instead of
 * KILL, and the command.
 */
final class ManyVictim {
  private static final int F_SETSIG = 10;
  private static final long KILL = 9;

  private ManyVictim() {}

  @SuppressWarnings("try") // the signal is another one until the JVM is gone
  public static void main(String[] args) throws Exception {
    var count = Integer.parseInt(args[0]);
    var signal = Long.parseLong(args[1]);
    var command =
        Command.of(List.copyOf(Arrays.asList(args).subList(2, args.length)))
            .stdout(Output.discard())
            .stderr(Output.discard());
    try (var wires = Native.intercept(libc -> sending(signal, libc));
        ExecScope scope = Exec.scope()) {
      for (int i = 0; i < count; i++) {
        scope.spawn(command);
      }
      System.out.println("owner up");
      System.in.read();
    }
  }

  private static Libc sending(long signal, Libc libc) {
    return (Libc)
        Proxy.newProxyInstance(
            Libc.class.getClassLoader(),
            new Class<?>[] {Libc.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("fcntl")
                  && arguments[1].equals(F_SETSIG)
                  && arguments[2].equals(KILL)) {
                arguments[2] = signal;
              }
              try {
                return method.invoke(libc, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
