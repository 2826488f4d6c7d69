package dev.holdfast.exec.libc;

import jnr.ffi.LastError;

/** Error numbers. Our wrappers return them negated, as the kernel does. */
public final class Errno {
  /** Not permitted. */
  public static final int EPERM = number(jnr.constants.platform.Errno.EPERM);

  /** No such file or directory. */
  public static final int ENOENT = number(jnr.constants.platform.Errno.ENOENT);

  /** No such process. */
  public static final int ESRCH = number(jnr.constants.platform.Errno.ESRCH);

  /** Interrupted by a signal. */
  public static final int EINTR = number(jnr.constants.platform.Errno.EINTR);

  /** Input or output failed. */
  public static final int EIO = number(jnr.constants.platform.Errno.EIO);

  /** Argument list too long. */
  public static final int E2BIG = number(jnr.constants.platform.Errno.E2BIG);

  /** No format that can be executed. */
  public static final int ENOEXEC = number(jnr.constants.platform.Errno.ENOEXEC);

  /** Not an open descriptor. */
  public static final int EBADF = number(jnr.constants.platform.Errno.EBADF);

  /** No such child. */
  public static final int ECHILD = number(jnr.constants.platform.Errno.ECHILD);

  /** Not now: it would block, or a limit is reached. */
  public static final int EAGAIN = number(jnr.constants.platform.Errno.EAGAIN);

  /** Out of memory. */
  public static final int ENOMEM = number(jnr.constants.platform.Errno.ENOMEM);

  /** Access refused. */
  public static final int EACCES = number(jnr.constants.platform.Errno.EACCES);

  /** It is there already. */
  public static final int EEXIST = number(jnr.constants.platform.Errno.EEXIST);

  /** Not a directory. */
  public static final int ENOTDIR = number(jnr.constants.platform.Errno.ENOTDIR);

  /** A directory. */
  public static final int EISDIR = number(jnr.constants.platform.Errno.EISDIR);

  /** Invalid argument. */
  public static final int EINVAL = number(jnr.constants.platform.Errno.EINVAL);

  /** The system is out of open files. */
  public static final int ENFILE = number(jnr.constants.platform.Errno.ENFILE);

  /** This process is out of descriptors. */
  public static final int EMFILE = number(jnr.constants.platform.Errno.EMFILE);

  /** The program is open for writing. */
  public static final int ETXTBSY = number(jnr.constants.platform.Errno.ETXTBSY);

  /** No space left. */
  public static final int ENOSPC = number(jnr.constants.platform.Errno.ENOSPC);

  /** Nobody reads this pipe. */
  public static final int EPIPE = number(jnr.constants.platform.Errno.EPIPE);

  /** Too many symbolic links. */
  public static final int ELOOP = number(jnr.constants.platform.Errno.ELOOP);

  /** Path too long. */
  public static final int ENAMETOOLONG = number(jnr.constants.platform.Errno.ENAMETOOLONG);

  /** The kernel has no such call. */
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
