package dev.holdfast.exec.cli;

import dev.holdfast.exec.Containment;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How far the ending of the tree reaches, by its name. */
final class Reach implements ITypeConverter<Containment> {
  @Override
  public Containment convert(String value) {
    return switch (value) {
      case "group" -> Containment.GROUP;
      case "tree" -> Containment.TREE;
      default -> throw new TypeConversionException("'" + value + "' is neither group nor tree");
    };
  }
}
