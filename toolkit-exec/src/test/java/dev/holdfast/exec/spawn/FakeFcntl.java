package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.Libc;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A sandbox that says yes to every fcntl and does nothing. */
final class FakeFcntl {
  private FakeFcntl() {}

  static Libc around(Libc libc) {
    return (Libc)
        Proxy.newProxyInstance(
            Libc.class.getClassLoader(),
            new Class<?>[] {Libc.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("fcntl") && ((Integer) arguments[1]) != 1030) {
                return 0;
              }
              try {
                return method.invoke(libc, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
