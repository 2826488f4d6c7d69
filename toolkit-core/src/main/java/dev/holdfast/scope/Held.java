package dev.holdfast.scope;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The finalizer of an acquired resource: pushed first, filled after. Owner's thread only. */
final class Held<T> implements Finalizer {
  private static final HaltPoint BEGIN = HaltPoint.named("acquire.begin");
  private static final HaltPoint PUSHED = HaltPoint.named("acquire.pushed");
  private static final HaltPoint FILLED = HaltPoint.named("acquire.filled");

  private final Release<T> release;
  private @Nullable T resource;

  Held(Release<T> release) {
    this.release = release;
  }

  <X extends Exception> T fill(ScopeCore core, Acquisition<T, X> acquisition) throws X {
    BEGIN.pass();
    core.onClose(this);
    PUSHED.pass();
    core.refuseIfHalted();
    T made = acquisition.acquire();
    resource = made;
    FILLED.pass();
    core.refuseIfHalted();
    return Objects.requireNonNull(made, "acquisition returned null");
  }

  @Override
  public void run() throws Exception {
    T held = resource;
    if (held != null) {
      release.release(held);
    }
  }
}
