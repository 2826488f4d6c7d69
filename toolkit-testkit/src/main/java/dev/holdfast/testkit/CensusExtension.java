package dev.holdfast.testkit;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What {@link Witnessed} does. */
final class CensusExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    var allowed =
        AnnotationSupport.findAnnotation(context.getRequiredTestClass(), Witnessed.class)
            .map(Witnessed::allowedThreads)
            .orElseGet(() -> new String[0]);
    TestSession.begin(context, allowed, () -> null);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    TestSession.end(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return SessionParameters.supports(parameter, context);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return SessionParameters.resolve(parameter, context);
  }
}
