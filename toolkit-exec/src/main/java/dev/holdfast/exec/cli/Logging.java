package dev.holdfast.exec.cli;

/**
 * Settings of slf4j-simple, which writes to standard error. To be made before the first logger is;
 * what the caller has set with {@code -D} stays.
 */
final class Logging {
  private static final String PREFIX = "org.slf4j.simpleLogger.";

  private Logging() {}

  static void begin(boolean lifeCycle) {
    set("defaultLogLevel", lifeCycle ? "debug" : "warn");
    set("showThreadName", "false");
    set("showLogName", "false");
    set("showDateTime", Boolean.toString(lifeCycle));
    set("dateTimeFormat", "HH:mm:ss.SSS");
    set("levelInBrackets", "false");
  }

  private static void set(String name, String value) {
    if (System.getProperty(PREFIX + name) == null) {
      System.setProperty(PREFIX + name, value);
    }
  }
}
