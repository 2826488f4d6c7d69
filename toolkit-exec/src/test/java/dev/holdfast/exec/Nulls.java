package dev.holdfast.exec;

/** Null where the compiler would not let it pass, to test what a careless caller gets. */
final class Nulls {
  private Nulls() {}

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  static <T> T nil() {
    return null;
  }
}
