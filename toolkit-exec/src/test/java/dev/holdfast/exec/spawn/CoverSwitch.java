package dev.holdfast.exec.spawn;

import java.util.stream.Stream;

/** Takes covers out in a victim JVM, as a system property says. */
public final class CoverSwitch {
  /** The names of {@link Cover}s, separated by commas. */
  public static final String PROPERTY = "holdfast.test.covers.out";

  private CoverSwitch() {}

  /** Does what the property says. */
  public static void apply() {
    var names = System.getProperty(PROPERTY, "");
    Cover.takeOut(
        Stream.of(names.split(",", -1))
            .filter(name -> !name.isEmpty())
            .map(Cover::valueOf)
            .toArray(Cover[]::new));
  }
}
