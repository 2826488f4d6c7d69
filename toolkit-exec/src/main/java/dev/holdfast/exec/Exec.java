package dev.holdfast.exec;

import dev.holdfast.exec.libc.UnsupportedPlatformException;
import dev.holdfast.exec.spawn.Shutdown;
import dev.holdfast.scope.Policy;
import dev.holdfast.scope.Scope;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The entry: scopes that own processes.
 *
 * <pre>{@code
 * try (var scope = Exec.scope()) {
 *   var server = scope.spawn(Command.of("python3", "-m", "http.server", "8080"));
 *   scope.run(Command.of("curl", "-sf", "http://127.0.0.1:8080/")).expectSuccess();
 * } // the server and all it started: TERM, 5 s, KILL, reaped
 * }</pre>
 */
public final class Exec {
  private Exec() {}

  /**
   * Opens a scope with the default options.
   *
   * @return the scope, owned by the current thread; to be closed by it
   * @throws ExecException with {@code UNSUPPORTED} when this platform lacks what is needed
   */
  public static ExecScope scope() {
    return open(ScopeOptions.DEFAULTS);
  }

  /**
   * Opens a scope.
   *
   * @param options changes the default options
   * @return the scope, owned by the current thread; to be closed by it
   * @throws ExecException with {@code UNSUPPORTED} when this platform lacks what is needed
   */
  public static ExecScope scope(UnaryOperator<ScopeOptions> options) {
    Objects.requireNonNull(options, "options");
    return open(Objects.requireNonNull(options.apply(ScopeOptions.DEFAULTS), "options"));
  }

  private static ExecScope open(ScopeOptions options) {
    try {
      Shutdown.install();
    } catch (UnsupportedPlatformException e) {
      throw Failures.of(e, null);
    }
    Scope scope = Scope.open(options.name().orElse("scope"), Policy.failFast());
    try {
      return new ExecScope(scope, options);
    } catch (Throwable t) {
      scope.close();
      throw t;
    }
  }

  /**
   * Runs a command in a scope of its own: when this returns, nothing that it started lives.
   *
   * @param command what to run
   * @return how it ended; any status, a signal or a timeout is a result
   * @throws InterruptedException when interrupted; the child has been ended before it is thrown
   * @throws ExecException as {@link ExecScope#run}
   */
  public static Result run(Command command) throws InterruptedException {
    Objects.requireNonNull(command, "command");
    try (ExecScope scope = scope()) {
      return scope.run(command);
    }
  }

  /**
   * Runs a program in a scope of its own.
   *
   * @param program its name or path
   * @param args its arguments
   * @return how it ended
   * @throws InterruptedException when interrupted; the child has been ended before it is thrown
   * @throws ExecException as {@link ExecScope#run}
   */
  public static Result run(String program, String... args) throws InterruptedException {
    return run(Command.of(program, args));
  }
}
