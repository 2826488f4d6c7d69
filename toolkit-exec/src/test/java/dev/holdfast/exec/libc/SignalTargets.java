package dev.holdfast.exec.libc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import jnr.ffi.LastError;

/**
 * Writes down whom the C library is asked to signal, to wait for and to arm a descriptor for. A
 * call that would reach everybody or ourselves is written down and not made.
 */
public final class SignalTargets implements AutoCloseable {
  private static final int F_SETOWN = 8;
  private static final int F_SETOWN_EX = 15;

  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final List<Integer> ids = new CopyOnWriteArrayList<>();
  private final Libc real = Native.libc();
  private final int ownGroup = real.getpgid(0);
  private final boolean passesOn;
  private final Native.Interception interception;

  private SignalTargets(boolean passesOn) {
    this.passesOn = passesOn;
    InvocationHandler handler = (proxy, method, arguments) -> call(method, arguments);
    Libc watched = KillPointLibc.Proxies.libc(handler);
    interception = Native.intercept(former -> watched);
  }

  /** Watches until it is closed. */
  public static SignalTargets watch() {
    return new SignalTargets(true);
  }

  /** Watches until it is closed, and makes none of the calls that it writes down. */
  public static SignalTargets swallow() {
    return new SignalTargets(false);
  }

  /** The pid or, negated, the group of each call that takes one, in order. */
  public List<Integer> ids() {
    return List.copyOf(ids);
  }

  /** The calls of {@link #ids}, and all that set an owner. */
  public List<String> calls() {
    return List.copyOf(calls);
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    boolean passes =
        switch (name) {
          case "kill", "wait4", "waitpid", "setpgid" -> passes(name, (int) arguments[0]);
          case "waitid" -> passes(name, (int) arguments[1]);
          case "fcntl" -> passesOwner((int) arguments[1]);
          default -> true;
        };
    if (passes) {
      return KillPointLibc.Proxies.call(real, method, arguments);
    }
    LastError.setLastError(Native.runtime(), Errno.ESRCH);
    return -1;
  }

  private boolean passes(String name, int id) {
    calls.add(name + " " + id);
    ids.add(id);
    int number = Math.abs(id);
    boolean harmless =
        id != Integer.MIN_VALUE && number > 1 && number != Signals.OWN_PID && -id != ownGroup;
    return passesOn && harmless;
  }

  private boolean passesOwner(int command) {
    if (command != F_SETOWN && command != F_SETOWN_EX) {
      return true;
    }
    calls.add("fcntl " + command);
    return passesOn;
  }

  @Override
  public void close() {
    interception.close();
  }
}
