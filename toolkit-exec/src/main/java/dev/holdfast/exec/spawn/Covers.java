package dev.holdfast.exec.spawn;

/** What the kernel gives against outliving the JVM, found once. */
public final class Covers {
  /** When a tripwire is armed. */
  public enum Wire {
    /** Before the process exists. */
    BEFORE_SPAWN,
    /** In the microseconds after. */
    AFTER_SPAWN,
    /** Never. */
    NONE
  }

  private Covers() {}

  private static final class Found {
    static final Wire WIRE = find();

    private static Wire find() {
      if (!TripwireProbe.works()) {
        return Wire.NONE;
      }
      Births.begin();
      try {
        return tryPlaceholder();
      } finally {
        Births.end();
      }
    }

    private static Wire tryPlaceholder() {
      return switch (Placeholder.create()) {
        case Placeholder made -> {
          made.reap();
          yield Wire.BEFORE_SPAWN;
        }
        case Placeholder.Refused _ -> Wire.AFTER_SPAWN;
      };
    }
  }

  /**
   * When a tripwire is armed here.
   *
   * @return what was found by trying
   */
  public static Wire tripwire() {
    return Found.WIRE;
  }
}
