package dev.holdfast.exec;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a scope is called and what its commands get that don't choose for themselves. Immutable;
 * each method returns a copy that differs in one choice.
 *
 * <pre>{@code
 * try (var scope = Exec.scope(options -> options.name("build").stop(StopPolicy.kill()))) { ... }
 * }</pre>
 */
public final class ScopeOptions {
  /** No name, and everything as the defaults say. */
  static final ScopeOptions DEFAULTS = new ScopeOptions(null, null, null);

  private final @Nullable String name;
  private final @Nullable Containment containment;
  private final @Nullable StopPolicy stop;

  private ScopeOptions(
      @Nullable String name, @Nullable Containment containment, @Nullable StopPolicy stop) {
    this.name = name;
    this.containment = containment;
    this.stop = stop;
  }

  /**
   * Names the scope, for logs, thread names and messages. Default: no name.
   *
   * @param name any text on one line that is not blank; it need not be unique
   * @return a copy with this name
   * @throws IllegalArgumentException if the name is blank or holds a control character
   */
  public ScopeOptions name(String name) {
    Objects.requireNonNull(name, "name");
    if (name.isBlank() || name.codePoints().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "A scope's name is text on one line, but this is blank or holds a control character: "
              + ShellQuote.quote(name)
              + ".");
    }
    return new ScopeOptions(name, containment, stop);
  }

  /**
   * Sets how far the ending of a tree reaches, for commands that don't say so. Default: {@link
   * Containment#TREE} for a spawned child, {@link Containment#GROUP} for {@code run}.
   *
   * @param containment the reach for all commands of the scope
   * @return a copy with this containment
   */
  public ScopeOptions containment(Containment containment) {
    Objects.requireNonNull(containment, "containment");
    return new ScopeOptions(name, containment, stop);
  }

  /**
   * Sets how children are ended, for commands that don't say so. Default: {@link
   * StopPolicy#standard()}.
   *
   * @param stop the policy for all commands of the scope
   * @return a copy with this policy
   */
  public ScopeOptions stop(StopPolicy stop) {
    Objects.requireNonNull(stop, "stop");
    return new ScopeOptions(name, containment, stop);
  }

  /**
   * Returns the name of the scope.
   *
   * @return the name, or empty if it has none
   */
  public Optional<String> name() {
    return Optional.ofNullable(name);
  }

  /**
   * Returns the containment that was chosen for the scope.
   *
   * @return the choice, or empty if the defaults hold
   */
  public Optional<Containment> containment() {
    return Optional.ofNullable(containment);
  }

  /**
   * Returns the stop policy of the scope.
   *
   * @return the choice, or {@link StopPolicy#standard()}
   */
  public StopPolicy stop() {
    return stop == null ? StopPolicy.standard() : stop;
  }

  @Override
  public String toString() {
    return "ScopeOptions[name="
        + (name == null ? "none" : name)
        + ", containment="
        + (containment == null ? "default" : containment)
        + ", stop="
        + stop()
        + "]";
  }
}
