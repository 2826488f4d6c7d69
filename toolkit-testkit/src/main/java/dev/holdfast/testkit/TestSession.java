package dev.holdfast.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What an extension keeps for one test: the guard, the logs, and the scope if there is one. */
final class TestSession {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestSession.class);

  final CensusGuard guard;
  final @Nullable AutoCloseable scope;
  private final LogTrap logs;

  private TestSession(CensusGuard guard, LogTrap logs, @Nullable AutoCloseable scope) {
    this.guard = guard;
    this.logs = logs;
    this.scope = scope;
  }

  /** What makes the scope runs after the first look, so that all it holds must be given back. */
  interface Opener {
    @Nullable AutoCloseable open() throws Exception;
  }

  static TestSession begin(ExtensionContext context, String[] allowedThreads, Opener opener)
      throws Exception {
    var guard = CensusGuard.open(allowedThreads);
    var logs = LogTrap.set();
    try {
      var session = new TestSession(guard, logs, opener.open());
      context.getStore(NAMESPACE).put(TestSession.class, session);
      return session;
    } catch (Throwable e) {
      logs.release(true);
      throw e;
    }
  }

  static @Nullable TestSession of(ExtensionContext context) {
    return context.getStore(NAMESPACE).get(TestSession.class, TestSession.class);
  }

  static void end(ExtensionContext context) throws Exception {
    var session = context.getStore(NAMESPACE).remove(TestSession.class, TestSession.class);
    if (session != null) {
      session.end(context.getExecutionException().isPresent());
    }
  }

  private void end(boolean testFailed) throws Exception {
    boolean failed = true;
    try {
      closeScopeAndGuard();
      failed = testFailed;
    } finally {
      logs.release(failed);
    }
  }

  private void closeScopeAndGuard() throws Exception {
    try (guard) { // the scope first, then the census; the first failure is primary
      if (scope != null) {
        scope.close();
      }
    }
  }
}
