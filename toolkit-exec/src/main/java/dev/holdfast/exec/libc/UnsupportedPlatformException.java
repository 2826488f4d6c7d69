package dev.holdfast.exec.libc;

/** This machine is below the floor that Holdfast needs; the message is one sentence for people. */
public final class UnsupportedPlatformException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message one whole sentence that names what is missing
   */
  public UnsupportedPlatformException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message one whole sentence that names what is missing
   * @param cause what told us
   */
  public UnsupportedPlatformException(String message, Throwable cause) {
    super(message, cause);
  }
}
