package dev.holdfast.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;

/** Which parameters a test's session can fill. */
final class SessionParameters {

  private SessionParameters() {}

  static boolean supports(ParameterContext parameter, ExtensionContext context) {
    return find(parameter, context) != null;
  }

  static Object resolve(ParameterContext parameter, ExtensionContext context) {
    var found = find(parameter, context);
    if (found == null) {
      throw new ParameterResolutionException(
          "There is nothing for parameter " + parameter.getParameter() + ".");
    }
    return found;
  }

  private static @Nullable Object find(ParameterContext parameter, ExtensionContext context) {
    var session = TestSession.of(context);
    if (session == null) {
      return null;
    }
    var type = parameter.getParameter().getType();
    if (type == Marker.class) {
      return session.guard.marker();
    }
    if (type == Census.class) {
      return session.guard.census();
    }
    return type != Object.class && type.isInstance(session.scope) ? session.scope : null;
  }
}
