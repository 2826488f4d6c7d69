package dev.holdfast.exec.libc;

import jnr.ffi.LastError;

/** Error numbers. Our wrappers return them negated, as the kernel does. */
public final class Errno {
  public static final int EPERM = number(jnr.constants.platform.Errno.EPERM);
  public static final int ENOENT = number(jnr.constants.platform.Errno.ENOENT);
  public static final int ESRCH = number(jnr.constants.platform.Errno.ESRCH);
  public static final int EINTR = number(jnr.constants.platform.Errno.EINTR);
  public static final int EIO = number(jnr.constants.platform.Errno.EIO);
  public static final int E2BIG = number(jnr.constants.platform.Errno.E2BIG);
  public static final int ENOEXEC = number(jnr.constants.platform.Errno.ENOEXEC);
  public static final int EBADF = number(jnr.constants.platform.Errno.EBADF);
  public static final int ECHILD = number(jnr.constants.platform.Errno.ECHILD);
  public static final int EAGAIN = number(jnr.constants.platform.Errno.EAGAIN);
  public static final int ENOMEM = number(jnr.constants.platform.Errno.ENOMEM);
  public static final int EACCES = number(jnr.constants.platform.Errno.EACCES);
  public static final int EEXIST = number(jnr.constants.platform.Errno.EEXIST);
  public static final int ENOTDIR = number(jnr.constants.platform.Errno.ENOTDIR);
  public static final int EISDIR = number(jnr.constants.platform.Errno.EISDIR);
  public static final int EINVAL = number(jnr.constants.platform.Errno.EINVAL);
  public static final int ENFILE = number(jnr.constants.platform.Errno.ENFILE);
  public static final int EMFILE = number(jnr.constants.platform.Errno.EMFILE);
  public static final int ETXTBSY = number(jnr.constants.platform.Errno.ETXTBSY);
  public static final int ENOSPC = number(jnr.constants.platform.Errno.ENOSPC);
  public static final int EPIPE = number(jnr.constants.platform.Errno.EPIPE);
  public static final int ELOOP = number(jnr.constants.platform.Errno.ELOOP);
  public static final int ENAMETOOLONG = number(jnr.constants.platform.Errno.ENAMETOOLONG);
  public static final int ENOSYS = number(jnr.constants.platform.Errno.ENOSYS);

  private Errno() {}

  /**
   * The error number of the last native call of this thread. To be read in the statement that
   * follows the call: anything that may park or call out loses it.
   *
   * @return the error number, positive
   */
  public static int last() {
    return LastError.getLastError(Native.runtime());
  }

  /**
   * The outcome of a call in one number, error number and all. Looks for that only after a failure:
   * a success may not be lost to a StackOverflowError that strikes between the call and its caller.
   *
   * @param rc what the call returned, -1 for a failure
   * @return the same, or the error number, negated
   */
  static int outcome(int rc) {
    return rc >= 0 ? rc : -last();
  }

  /**
   * The same for calls that return a {@code long}.
   *
   * @param rc what the call returned, -1 for a failure
   * @return the same, or the error number, negated
   */
  static long outcome(long rc) {
    return rc >= 0 ? rc : -last();
  }

  /**
   * The symbolic name of an error number.
   *
   * @param errno the error number, positive
   * @return for example {@code ENOENT}, or {@code errno 4711} for a number without a name
   */
  public static String name(int errno) {
    var known = jnr.constants.platform.Errno.valueOf(errno);
    return known.defined() ? known.name() : "errno " + errno;
  }

  /**
   * Name and meaning of an error number.
   *
   * @param errno the error number, positive
   * @return for example {@code ENOENT (No such file or directory)}
   */
  public static String describe(int errno) {
    var known = jnr.constants.platform.Errno.valueOf(errno);
    return known.defined() ? known.name() + " (" + known.description() + ")" : "errno " + errno;
  }

  private static int number(jnr.constants.platform.Errno errno) {
    return errno.intValue();
  }
}
