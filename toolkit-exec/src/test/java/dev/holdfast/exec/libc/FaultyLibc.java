package dev.holdfast.exec.libc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import jnr.ffi.LastError;
import org.jspecify.annotations.Nullable;

/** Lets the nth call of one method fail, instead of making it; all others go through. */
public final class FaultyLibc implements InvocationHandler {
  /** In the place of a method's name: every call counts. */
  public static final String ANY = "*";

  private final Libc libc;
  private final String method;
  private final int nth;
  private final int errno;
  private final @Nullable Supplier<? extends Error> error;
  private final AtomicInteger calls = new AtomicInteger();

  private FaultyLibc(
      Libc libc, String method, int nth, int errno, @Nullable Supplier<? extends Error> error) {
    this.libc = libc;
    this.method = method;
    this.nth = nth;
    this.errno = errno;
    this.error = error;
  }

  /** A fault while it is in place. */
  public static final class Fault implements AutoCloseable {
    private final FaultyLibc handler;
    private final Native.Interception interception;

    private Fault(FaultyLibc handler, Native.Interception interception) {
      this.handler = handler;
      this.interception = interception;
    }

    /** Whether the call that was to fail has been made. */
    public boolean struck() {
      return handler.calls.get() >= handler.nth;
    }

    @Override
    public void close() {
      interception.close();
    }
  }

  /** Lets the nth call, from 1, of a method fail with an error number until it is closed. */
  public static Fault errno(String method, int nth, int errno) {
    return inject(method, nth, errno, null);
  }

  /** Lets the nth call, from 1, of a method throw until it is closed. */
  public static Fault error(String method, int nth, Supplier<? extends Error> error) {
    return inject(method, nth, 0, error);
  }

  private static Fault inject(
      String method, int nth, int errno, @Nullable Supplier<? extends Error> error) {
    var handler = new FaultyLibc(Native.libc(), method, nth, errno, error);
    var proxy = KillPointLibc.Proxies.libc(handler);
    return new Fault(handler, Native.intercept(former -> proxy));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method called, Object[] arguments) throws Throwable {
    var counts = method.equals(ANY) || method.equals(called.getName());
    if (!counts || calls.incrementAndGet() != nth) {
      return KillPointLibc.Proxies.call(libc, called, arguments);
    }
    if (error != null) {
      throw error.get();
    }
    return refusal(called, errno);
  }

  /** What a refused call returns, error number and all. */
  static Object refusal(Method called, int errno) {
    if (returnsErrno(called.getName())) {
      return errno;
    }
    LastError.setLastError(Native.runtime(), errno);
    if (called.getName().equals("dlsym")) {
      return 0L;
    }
    if (called.getReturnType() == long.class) {
      return -1L;
    }
    return -1;
  }

  /** These return the error number instead of setting it (their man pages, "Return value"). */
  private static boolean returnsErrno(String name) {
    return name.startsWith("posix_spawn") || name.startsWith("pthread_");
  }
}
