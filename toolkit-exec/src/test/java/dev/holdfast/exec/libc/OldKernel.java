package dev.holdfast.exec.libc;

import java.lang.reflect.InvocationHandler;
import jnr.ffi.LastError;

/** A kernel before 6.9: it refuses to signal a group through a pidfd. */
public final class OldKernel implements AutoCloseable {
  private static final long PIDFD_SEND_SIGNAL = 424;
  private static final long PROCESS_GROUP = 4;
  private static final int EINVAL = 22;

  private final Native.Interception interception;

  private OldKernel(Native.Interception interception) {
    this.interception = interception;
  }

  /** Puts it in the place of the real one, until it is closed. */
  public static OldKernel pretend() {
    Libc real = Native.libc();
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getName().equals("syscall")
              && (long) arguments[0] == PIDFD_SEND_SIGNAL
              && (long) arguments[4] == PROCESS_GROUP) {
            LastError.setLastError(Native.runtime(), EINVAL);
            return -1L;
          }
          return KillPointLibc.Proxies.call(real, method, arguments);
        };
    Libc old = KillPointLibc.Proxies.libc(handler);
    OldKernel kernel = new OldKernel(Native.intercept(former -> old));
    Signals.probe(old);
    return kernel;
  }

  @Override
  public void close() {
    interception.close();
    Signals.probe(Native.libc());
  }
}
