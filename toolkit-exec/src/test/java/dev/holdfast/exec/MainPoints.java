package dev.holdfast.exec;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.holdfast.scope.HaltPoint;
import java.lang.reflect.Field;
import java.util.SortedSet;
import java.util.TreeSet;

/** The halt points that the code under test declares, whether a test has passed them or not. */
final class MainPoints {
  private MainPoints() {}

  static SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.holdfast.scope", "dev.holdfast.exec")
            .stream()
            .flatMap(type -> type.getFields().stream())
            .filter(field -> field.getRawType().isEquivalentTo(HaltPoint.class))
            .forEach(field -> names.add(name(field)));
    return names;
  }

  private static String name(JavaField declared) {
    Field field = declared.reflect();
    field.setAccessible(true);
    try {
      return ((HaltPoint) field.get(null)).name();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("A halt point can't be read: " + field, e);
    }
  }
}
