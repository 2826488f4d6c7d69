package dev.holdfast.exec.libc;

import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;
import org.jspecify.annotations.Nullable;

/**
 * The one access point to the C library: loads it, checks the floor, and lets tests wrap it.
 *
 * <p>Loading happens on a fresh platform thread: a class initializer of JNR that met a
 * StackOverflowError of its caller would be unusable for the rest of the JVM's life.
 */
public final class Native {
  private static final String FLOOR =
      "Holdfast needs Linux 5.3 or newer on x86-64 or aarch64 with glibc 2.34 or newer";
  private static final ReentrantLock LOADING = new ReentrantLock();

  private static volatile @Nullable Libc current;
  private static volatile @Nullable Runtime runtime;

  private Native() {}

  /**
   * The C library, loaded at first use (about 200 ms). Any thread.
   *
   * @return the calls, as wrapped by {@link #intercept}
   * @throws UnsupportedPlatformException if this machine is below the floor
   */
  public static Libc libc() {
    var libc = current;
    return libc != null ? libc : load();
  }

  /**
   * The test seam: replaces the C library by a wrapper of it until the result is closed.
   *
   * @param wrapper gets the present instance, returns the one to use
   * @return puts the former instance back
   */
  public static Interception intercept(UnaryOperator<Libc> wrapper) {
    var former = libc();
    current = wrapper.apply(former);
    return () -> current = former;
  }

  /** Ends an interception. */
  @FunctionalInterface
  public interface Interception extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Tells whether the C library has a symbol.
   *
   * @param symbol its C name
   * @return whether it can be called
   */
  public static boolean hasSymbol(String symbol) {
    return libc().dlsym(0, symbol) != 0;
  }

  static Runtime runtime() {
    var known = runtime;
    if (known == null) {
      load();
      known = Objects.requireNonNull(runtime);
    }
    return known;
  }

  static long symbol(String symbol) {
    var address = libc().dlsym(0, symbol);
    if (address == 0) {
      throw new UnsupportedPlatformException(FLOOR + "; this C library lacks " + symbol + ".");
    }
    return address;
  }

  private static Libc load() {
    LOADING.lock();
    try {
      var libc = current;
      return libc != null ? libc : loadOnFreshStack();
    } finally {
      LOADING.unlock();
    }
  }

  private static Libc loadOnFreshStack() {
    var failure = FreshStack.run("holdfast-native-load", Native::loadHere);
    var libc = current;
    if (libc == null) {
      throw explained(failure);
    }
    return libc;
  }

  private static void loadHere() {
    checkMachine();
    // jffi would read memory through sun.misc.Unsafe, which JDK 24 and newer warn about on stderr
    // (JEP 498); its JNI way is as good for the little that it does for us.
    if (System.getProperty("jffi.unsafe.disabled") == null) {
      System.setProperty("jffi.unsafe.disabled", "true");
    }
    var libc = LibraryLoader.create(Libc.class).load("c");
    runtime = Runtime.getRuntime(libc);
    checkLibrary(libc);
    checkPidfd(libc);
    SigChld.ensureDefault(libc);
    Signals.probe(libc);
    FreshStack.initialize(
        Fds.class,
        Fds.Pipe.class,
        Epoll.class,
        EventFd.class,
        Waits.class,
        Threads.class,
        AsyncSignal.class,
        CloneCall.class,
        SpawnCall.class,
        FileStatus.class,
        Environ.class,
        Directory.class,
        ErrnoException.class);
    current = libc;
  }

  /** A failed load leaves nothing behind; the next call tries again. */
  private static RuntimeException explained(@Nullable Throwable failure) {
    return switch (failure) {
      case UnsupportedPlatformException e ->
          new UnsupportedPlatformException(String.valueOf(e.getMessage()), e);
      case Error e when !(e instanceof LinkageError) -> throw e;
      case null -> new IllegalStateException("The thread that loads the C library was stopped.");
      case Throwable t when isForNativeAccess(t) ->
          new UnsupportedPlatformException(
              "Holdfast calls the C library, which this JVM forbids; start it with"
                  + " --enable-native-access=ALL-UNNAMED.",
              t);
      default ->
          new UnsupportedPlatformException(
              FLOOR + "; the C library could not be loaded: " + failure, failure);
    };
  }

  /** JNR wraps the refusal of the JDK (JEP 472) in errors of its own, as text. */
  private static boolean isForNativeAccess(Throwable failure) {
    for (var t = failure; t != null; t = t.getCause()) {
      if (String.valueOf(t).contains("IllegalCallerException")) {
        return true;
      }
    }
    return false;
  }

  private static void checkMachine() {
    var os = System.getProperty("os.name", "");
    var arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    if (!os.equals("Linux") || !(arch.equals("amd64") || arch.equals("aarch64"))) {
      throw new UnsupportedPlatformException(FLOOR + "; this is " + os + " on " + arch + ".");
    }
  }

  static void checkLibrary(Libc libc) {
    if (libc.dlsym(0, "posix_spawn_file_actions_addclosefrom_np") == 0) {
      throw new UnsupportedPlatformException(
          FLOOR + "; this C library lacks posix_spawn_file_actions_addclosefrom_np.");
    }
  }

  static void checkPidfd(Libc libc) {
    var fd = (int) Errno.outcome(libc.syscall(Signals.SYS_PIDFD_OPEN, Signals.OWN_PID, 0, 0, 0));
    if (fd < 0) {
      throw new UnsupportedPlatformException(
          FLOOR
              + "; pidfd_open is refused here: "
              + Errno.describe(-fd)
              + ", by the kernel or by a sandbox.");
    }
    libc.close(fd);
  }
}
