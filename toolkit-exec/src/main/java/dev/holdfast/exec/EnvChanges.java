package dev.holdfast.exec;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * How a command's environment differs from the JVM's. Immutable. A value is shown nowhere: not in
 * {@link #toString()} and not in a message.
 */
final class EnvChanges {
  static final EnvChanges NONE = new EnvChanges(true, Map.of(), Set.of());

  /** The chain of scope ids by which a tree is found; every child gets it. */
  private static final String COOKIE = "HOLDFAST_ID";

  private final boolean inherited;
  private final Map<String, String> set;
  private final Set<String> unset;

  private EnvChanges(boolean inherited, Map<String, String> set, Set<String> unset) {
    this.inherited = inherited;
    this.set = Collections.unmodifiableMap(set);
    this.unset = Collections.unmodifiableSet(unset);
  }

  /** Whether the child starts from the JVM's environment. */
  boolean inherited() {
    return inherited;
  }

  /** Whether the child gets the JVM's environment as it is. */
  boolean isNone() {
    return inherited && set.isEmpty() && unset.isEmpty();
  }

  /** The variables that are set, in the order of their first setting. */
  Map<String, String> set() {
    return set;
  }

  /** The inherited variables that the child does not get. */
  Set<String> unset() {
    return unset;
  }

  EnvChanges with(String key, String value) {
    requireKey(key);
    String fault = Texts.fault(value);
    if (fault != null) {
      throw bad("The value of the environment variable " + key + " " + fault + ".");
    }
    Map<String, String> nowSet = new LinkedHashMap<>(set);
    nowSet.put(key, value);
    Set<String> nowUnset = new LinkedHashSet<>(unset);
    nowUnset.remove(key);
    return new EnvChanges(inherited, nowSet, nowUnset);
  }

  EnvChanges without(String key) {
    requireKey(key);
    Map<String, String> nowSet = new LinkedHashMap<>(set);
    nowSet.remove(key);
    Set<String> nowUnset = new LinkedHashSet<>(unset);
    nowUnset.add(key);
    return new EnvChanges(inherited, nowSet, nowUnset);
  }

  static EnvChanges cleared() {
    return new EnvChanges(false, Map.of(), Set.of());
  }

  @Override
  public String toString() {
    return "EnvChanges[inherited="
        + inherited
        + ", set="
        + new TreeSet<>(set.keySet())
        + ", unset="
        + new TreeSet<>(unset)
        + "]";
  }

  private static void requireKey(String key) {
    if (key.isEmpty()) {
      throw bad("An environment variable needs a name, but the key is empty.");
    }
    int equals = key.indexOf('=');
    if (equals >= 0) {
      // What stands behind the sign may well be a value, and a secret one.
      throw bad(
          "The environment key "
              + ShellQuote.quote(key.substring(0, equals + 1))
              + "... contains '='; pass key and value as two arguments.");
    }
    String fault = Texts.fault(key);
    if (fault != null) {
      throw bad("The environment key " + ShellQuote.quote(key) + " " + fault + ".");
    }
    if (key.equals(COOKIE)) {
      throw bad(
          "The environment variable HOLDFAST_ID is set by Holdfast itself, which finds the tree of"
              + " a process by it; leave it alone and use a variable of your own.");
    }
  }

  private static ExecException bad(String message) {
    return new ExecException(ExecException.Reason.BAD_ENVIRONMENT, message);
  }
}
