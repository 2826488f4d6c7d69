package dev.holdfast.exec;

import java.util.concurrent.CompletableFuture;

/** A process that can be watched and signalled, whoever started it. */
public sealed interface ProcessView permits ChildProcess {
  /**
   * The process id.
   *
   * @return the pid; after the end of the process it may come to be another's
   */
  long pid();

  /**
   * What tells this process apart from every other, a later one with the same pid too.
   *
   * @return the identity
   * @throws IllegalStateException when it is asked for the first time after the process was reaped
   */
  ProcessIdentity identity();

  /**
   * Whether the process has not ended; a zombie has.
   *
   * @return true until {@link #exited()} completes
   */
  boolean isAlive();

  /**
   * The end of the process, which is independent of any pipe.
   *
   * @return a new future of how it ended; what is hung on it runs on a virtual thread or, when it
   *     has ended already, on the caller's
   */
  CompletableFuture<ExitStatus> exited();

  /**
   * Sends a signal to this one process; never to another that has got its pid.
   *
   * @param signal the signal
   * @return false when the process is gone
   */
  boolean signal(Signal signal);
}
