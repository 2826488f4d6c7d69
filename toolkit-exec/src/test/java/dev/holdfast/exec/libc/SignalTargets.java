package dev.holdfast.exec.libc;

import java.lang.reflect.InvocationHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down whom the C library is asked to signal, to wait for and to arm a descriptor for. */
public final class SignalTargets implements AutoCloseable {
  private static final int F_SETOWN = 8;
  private static final int F_SETOWN_EX = 15;

  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final List<Long> targets = new CopyOnWriteArrayList<>();
  private final Native.Interception interception;

  private SignalTargets() {
    Libc real = Native.libc();
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          note(method.getName(), arguments);
          return KillPointLibc.Proxies.call(real, method, arguments);
        };
    Libc watched = KillPointLibc.Proxies.libc(handler);
    interception = Native.intercept(former -> watched);
  }

  /** Watches until it is closed. */
  public static SignalTargets watch() {
    return new SignalTargets();
  }

  /** The pid or, negated, the group of each call that takes one, in order. */
  public List<Long> ids() {
    return List.copyOf(targets);
  }

  /** The calls of {@link #ids}, and all that set an owner. */
  public List<String> calls() {
    return List.copyOf(calls);
  }

  private void note(String name, Object[] arguments) {
    switch (name) {
      case "kill", "wait4", "waitpid", "setpgid" -> add(name, (int) arguments[0]);
      case "waitid" -> add(name, (int) arguments[1]);
      case "fcntl" -> {
        int command = (int) arguments[1];
        if (command == F_SETOWN || command == F_SETOWN_EX) {
          calls.add("fcntl " + command);
        }
      }
      default -> {}
    }
  }

  private void add(String name, int id) {
    calls.add(name + " " + id);
    targets.add((long) id);
  }

  @Override
  public void close() {
    interception.close();
  }
}
