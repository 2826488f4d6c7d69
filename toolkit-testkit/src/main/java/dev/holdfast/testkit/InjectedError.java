package dev.holdfast.testkit;

/** The error that {@link Injection#ERROR} throws: nothing but an injector throws it. */
public final class InjectedError extends Error {

  private static final long serialVersionUID = 1L;

  /**
   * Makes the error.
   *
   * @param point the name of the halt point at which it is thrown
   */
  public InjectedError(String point) {
    super("injected at halt point " + point);
  }
}
