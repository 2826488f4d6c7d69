package dev.holdfast.exec.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version, which the build writes into a resource. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"holdfast " + text()};
  }

  static String text() {
    var properties = new Properties();
    try (var in = Version.class.getResourceAsStream("version.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The version of Holdfast can't be read.", e);
    }
    return properties.getProperty("version", "of an unknown version");
  }
}
