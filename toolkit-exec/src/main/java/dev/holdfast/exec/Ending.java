package dev.holdfast.exec;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When and how a command is ended by us; null where the command left it to the scope. */
record Ending(
    @Nullable Duration timeout, @Nullable StopPolicy stop, @Nullable Containment containment) {
  static final Ending DEFAULTS = new Ending(null, null, null);

  Ending withTimeout(Duration other) {
    return new Ending(other, stop, containment);
  }

  Ending withStop(StopPolicy other) {
    return new Ending(timeout, other, containment);
  }

  Ending withContainment(Containment other) {
    return new Ending(timeout, stop, other);
  }

  StopPolicy stopOr(StopPolicy fallback) {
    return stop == null ? fallback : stop;
  }

  Containment containmentOr(Containment fallback) {
    return containment == null ? fallback : containment;
  }
}
