package dev.holdfast.exec.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * One variable of a child's environment. Its value is shown nowhere.
 *
 * @param name not empty
 * @param value may be empty
 */
record Variable(String name, String value) {
  /** Parses {@code NAME=VALUE}; what has no sign may be a value, and is not repeated. */
  static final class Converter implements ITypeConverter<Variable> {
    @Override
    public Variable convert(String text) {
      var sign = text.indexOf('=');
      if (sign <= 0) {
        throw new TypeConversionException("it takes NAME=VALUE");
      }
      return new Variable(text.substring(0, sign), text.substring(sign + 1));
    }
  }

  @Override
  public String toString() {
    return name + "=...";
  }
}
