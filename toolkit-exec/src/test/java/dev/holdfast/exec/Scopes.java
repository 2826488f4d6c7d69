package dev.holdfast.exec;

import dev.holdfast.testkit.ScopeExtension;

/** The scope of each test, whose end takes the census. */
final class Scopes {
  private Scopes() {}

  static ScopeExtension<ExecScope> fresh() {
    return ScopeExtension.of(Exec::scope)
        .warmingUp(scope -> scope.spawn(Command.of("true")).stop())
        .allowingThreads("holdfast-");
  }
}
