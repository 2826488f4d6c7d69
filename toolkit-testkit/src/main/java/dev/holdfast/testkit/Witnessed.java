package dev.holdfast.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Takes the census after each test of a class whose tests open their scopes themselves: no process
 * with the test's {@link Marker}, and no more zombies, descriptors and platform threads than
 * before. Fills parameters of type {@link Marker} and {@link Census}; prints what is logged to
 * {@code System.err} only for tests that fail. Tests must not run in parallel in one JVM.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(CensusExtension.class)
public @interface Witnessed {

  /**
   * How the names of threads begin that may start in a test and stay, such as a library's reactor.
   *
   * @return the prefixes, none by default
   */
  String[] allowedThreads() default {};
}
