package dev.holdfast.exec.libc;

import dev.holdfast.scope.KillPoint;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import jnr.ffi.LastError;

/**
 * Passes a kill point before and after every native call, {@code libc.<method>.before} and {@code
 * .after}. What the point does costs the caller no error number.
 */
public final class KillPointLibc implements InvocationHandler {
  private record Points(KillPoint before, KillPoint after) {}

  private final Libc libc;
  private final Map<Method, Points> points = new HashMap<>();

  private KillPointLibc(Libc libc) {
    this.libc = libc;
    for (var method : Libc.class.getMethods()) {
      var name = "libc." + method.getName();
      var before = KillPoint.named(name + ".before");
      points.put(method, new Points(before, KillPoint.named(name + ".after")));
    }
  }

  /** A C library with points; for {@link Native#intercept}. */
  public static Libc around(Libc libc) {
    return Proxies.libc(new KillPointLibc(libc));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    var around = points.get(method);
    if (around == null) {
      return Proxies.call(libc, method, arguments);
    }
    around.before.pass();
    var result = Proxies.call(libc, method, arguments);
    var errno = LastError.getLastError(Native.runtime());
    around.after.pass();
    LastError.setLastError(Native.runtime(), errno);
    return result;
  }

  /** What wrappers of the C library share. */
  static final class Proxies {
    private Proxies() {}

    static Libc libc(InvocationHandler handler) {
      var loader = Libc.class.getClassLoader();
      return (Libc) Proxy.newProxyInstance(loader, new Class<?>[] {Libc.class}, handler);
    }

    static Object call(Libc libc, Method method, Object[] arguments) throws Throwable {
      try {
        return method.invoke(libc, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }
}
