package dev.holdfast.exec.libc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notes the native calls of some threads, and lets one of them, or all of a kind, go wrong. Only
 * what can happen is made to happen: a descriptor that close(2) refused is gone all the same.
 */
public final class NativeTap implements InvocationHandler, AutoCloseable {
  /** They do their work and then say that they did not. */
  private static final Set<String> DONE_ALL_THE_SAME =
      Set.of("close", "posix_spawn_file_actions_destroy", "posix_spawnattr_destroy");

  /** One call. */
  public record Call(String method, int number, Thread thread, List<Object> arguments) {
    @Override
    public String toString() {
      return method + "(call " + number + ")";
    }
  }

  /** How a call goes wrong. */
  private interface Effect {
    @Nullable Object strike(NativeTap tap, Method method, @Nullable Object[] arguments)
        throws Throwable;
  }

  private final Libc libc = Native.libc();
  private final Predicate<Thread> who;
  private final Predicate<Call> which;
  private final Effect effect;
  private final List<Call> calls = new ArrayList<>(); // guarded by this
  private int struck; // guarded by this
  private final Native.Interception interception;

  private NativeTap(Predicate<Thread> who, Predicate<Call> which, Effect effect) {
    this.who = who;
    this.which = which;
    this.effect = effect;
    var proxy = KillPointLibc.Proxies.libc(this);
    interception = Native.intercept(former -> proxy);
  }

  /** Only notes. */
  public static NativeTap recording(Predicate<Thread> who) {
    return new NativeTap(who, call -> false, (tap, method, arguments) -> null);
  }

  /** Refuses calls with an error number. */
  public static NativeTap refusing(Predicate<Thread> who, Predicate<Call> which, int errno) {
    return new NativeTap(
        who,
        which,
        (tap, method, arguments) -> {
          if (DONE_ALL_THE_SAME.contains(method.getName())) {
            KillPointLibc.Proxies.call(tap.libc, method, arguments);
          }
          return FaultyLibc.refusal(method, errno);
        });
  }

  /** Throws instead of making calls. */
  public static NativeTap throwingBefore(
      Predicate<Thread> who, Predicate<Call> which, Supplier<? extends Error> error) {
    return new NativeTap(
        who,
        which,
        (tap, method, arguments) -> {
          throw error.get();
        });
  }

  /** Makes calls, and throws then. */
  public static NativeTap throwingAfter(
      Predicate<Thread> who, Predicate<Call> which, Supplier<? extends Error> error) {
    return new NativeTap(
        who,
        which,
        (tap, method, arguments) -> {
          KillPointLibc.Proxies.call(tap.libc, method, arguments);
          throw error.get();
        });
  }

  /** The calls noted so far. */
  public synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  /** How many calls went wrong. */
  public synchronized int struck() {
    return struck;
  }

  @Override
  public void close() {
    interception.close();
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments)
      throws Throwable {
    return who.test(Thread.currentThread()) && note(method, arguments)
        ? effect.strike(this, method, arguments)
        : KillPointLibc.Proxies.call(libc, method, arguments);
  }

  private synchronized boolean note(Method method, @Nullable Object[] arguments) {
    List<Object> copied = arguments == null ? List.of() : List.of(arguments);
    var call = new Call(method.getName(), calls.size() + 1, Thread.currentThread(), copied);
    calls.add(call);
    var strikes = which.test(call);
    struck += strikes ? 1 : 0;
    return strikes;
  }
}
