package dev.holdfast.testkit;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A text by which the processes of one test are found: it stands in their arguments or in their
 * environment (variable {@value #VARIABLE}), and nowhere else on the machine.
 *
 * @param text the marker itself; all markers of {@link #unique()} are equally long, so none is a
 *     part of another
 */
public record Marker(String text) {

  /** The environment variable that carries the marker where arguments can't. */
  public static final String VARIABLE = "HOLDFAST_MARK";

  /**
   * Takes an existing text as a marker.
   *
   * @throws IllegalArgumentException if the text has fewer than eight characters, and would
   *     therefore match strangers
   */
  public Marker {
    Objects.requireNonNull(text, "text");
    if (text.length() < 8) {
      throw new IllegalArgumentException(
          "The marker \""
              + text
              + "\" is shorter than 8 characters and would match strangers;"
              + " use Marker.unique().");
    }
  }

  /**
   * Makes a marker that no other test, JVM or run has.
   *
   * @return the new marker
   */
  public static Marker unique() {
    return new Marker(
        "holdfast-m-%07d-%016x"
            .formatted(ProcessHandle.current().pid(), ThreadLocalRandom.current().nextLong()));
  }

  /**
   * The marker that this JVM was given by {@link VictimJvmBuilder#marker(Marker)}.
   *
   * @return the marker of the test that started this victim
   * @throws IllegalStateException if this JVM is no victim, or was given none
   */
  public static Marker ofVictim() {
    var text = System.getProperty(VictimJvm.MARKER_PROPERTY);
    if (text == null) {
      throw new IllegalStateException(
          "This JVM was given no marker; its starter calls VictimJvmBuilder.marker(...).");
    }
    return new Marker(text);
  }

  /**
   * The marker as an environment, for programs whose arguments are not free.
   *
   * @return a map with the one entry {@value #VARIABLE}
   */
  public Map<String, String> environment() {
    return Map.of(VARIABLE, text);
  }

  /** Returns the marker itself, ready to stand in an argument list. */
  @Override
  public String toString() {
    return text;
  }
}
