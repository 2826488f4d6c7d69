package dev.holdfast.exec.libc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Notes the signals that the library sends while it is open, signal 0 left out. */
public final class SignalLog implements InvocationHandler, AutoCloseable {
  private static final long SYS_PIDFD_SEND_SIGNAL = 424;

  private final Libc libc = Native.libc();
  private final List<Integer> signals = new ArrayList<>(); // guarded by this
  private final Native.Interception interception;

  private SignalLog() {
    Libc proxy = KillPointLibc.Proxies.libc(this);
    interception = Native.intercept(former -> proxy);
  }

  /** A log that notes from now on. */
  public static SignalLog open() {
    return new SignalLog();
  }

  /** The numbers of the signals so far, in order. */
  public synchronized List<Integer> signals() {
    return List.copyOf(signals);
  }

  @Override
  public Object invoke(Object proxy, Method called, Object[] arguments) throws Throwable {
    if (called.getName().equals("kill")) {
      note((Number) arguments[1]);
    } else if (called.getName().equals("syscall")
        && ((Number) arguments[0]).longValue() == SYS_PIDFD_SEND_SIGNAL) {
      note((Number) arguments[2]);
    }
    return KillPointLibc.Proxies.call(libc, called, arguments);
  }

  private synchronized void note(Number signal) {
    if (signal.intValue() != 0) {
      signals.add(signal.intValue());
    }
  }

  @Override
  public void close() {
    interception.close();
  }
}
