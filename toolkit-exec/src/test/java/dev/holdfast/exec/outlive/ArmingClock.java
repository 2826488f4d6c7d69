package dev.holdfast.exec.outlive;

import dev.holdfast.exec.libc.Libc;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import jnr.ffi.Pointer;

/** Measures from the return of a spawn to the arming for the leader's pid. One spawning thread. */
final class ArmingClock {
  private static final int F_SETOWN_EX = 15;

  private final List<Long> micros = new ArrayList<>();
  private int leftBefore;
  private int leader;
  private long returned;

  Libc watching(Libc libc) {
    return (Libc)
        Proxy.newProxyInstance(
            Libc.class.getClassLoader(),
            new Class<?>[] {Libc.class},
            (proxy, method, arguments) -> {
              try {
                var result = method.invoke(libc, arguments);
                if (method.getName().equals("posix_spawn")) {
                  spawned(((Pointer) arguments[0]).getInt(0));
                } else if (leader != 0
                    && method.getName().equals("fcntl")
                    && arguments[1].equals(F_SETOWN_EX)) {
                  armed(libc);
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void spawned(int pid) {
    leader = pid;
    returned = System.nanoTime();
  }

  /** The process is looked at after the arming, so some that were armed in time count too. */
  private void armed(Libc libc) {
    micros.add((System.nanoTime() - returned) / 1000);
    if (libc.getpgid(leader) == leader) {
      leftBefore++;
    }
    leader = 0;
  }

  List<Long> micros() {
    return micros;
  }

  int leftBefore() {
    return leftBefore;
  }
}
