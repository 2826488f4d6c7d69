package dev.holdfast.exec.libc;

/** A call that sets things up was refused by the kernel or the C library. */
public final class ErrnoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The C name of the call. */
  private final String call;

  /** Why it was refused. */
  private final int errno;

  /**
   * Creates the exception.
   *
   * @param call the C name of the call
   * @param errno why it was refused, positive
   */
  public ErrnoException(String call, int errno) {
    super(call + " was refused: " + Errno.describe(errno) + ".");
    this.call = call;
    this.errno = errno;
  }

  /**
   * Tells which call was refused.
   *
   * @return its C name
   */
  public String call() {
    return call;
  }

  /**
   * Tells why.
   *
   * @return the error number, positive
   */
  public int errno() {
    return errno;
  }
}
