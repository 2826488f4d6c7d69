package dev.holdfast.exec;

import java.util.Objects;

/**
 * How a process ended: by itself with a code, by a signal, or in a way that nobody can tell any
 * more. A pure value; who caused the end is told apart from it, by {@link Result#cause()}. A
 * process that says {@code exit 137} and one that SIGKILL ended are different values.
 */
public sealed interface ExitStatus {
  /**
   * The process ended by itself. See {@code exit(3)}.
   *
   * @param code 0 to 255; 0 is success by convention
   */
  record Exited(int code) implements ExitStatus {
    /**
     * Makes the status of a process that ended by itself.
     *
     * @throws IllegalArgumentException if the code is not within 0 to 255
     */
    public Exited {
      if (code < 0 || code > 255) {
        throw new IllegalArgumentException("An exit code is within 0 to 255, not " + code + ".");
      }
    }

    /** Returns {@code Exited(code)}. */
    @Override
    public String toString() {
      return "Exited(" + code + ")";
    }
  }

  /**
   * A signal ended the process. See {@code signal(7)}.
   *
   * @param signal the signal that ended it
   * @param coreDumped whether the kernel wrote a core dump; see {@code core(5)}
   */
  record Signaled(Signal signal, boolean coreDumped) implements ExitStatus {
    /** Makes the status of a process that a signal ended. */
    public Signaled {
      Objects.requireNonNull(signal, "signal");
    }

    /** Returns {@code Signaled(SIGKILL)}, or {@code Signaled(SIGSEGV, core dumped)}. */
    @Override
    public String toString() {
      return "Signaled(" + signal + (coreDumped ? ", core dumped)" : ")");
    }
  }

  /**
   * The process is gone and its status can't be had: someone else reaped it, or SIGCHLD is ignored.
   *
   * @param reason why, as a phrase for a message
   */
  record Unknown(String reason) implements ExitStatus {
    /** Makes the status of a process whose end nobody can tell. */
    public Unknown {
      Objects.requireNonNull(reason, "reason");
    }

    /** Returns {@code Unknown(reason)}. */
    @Override
    public String toString() {
      return "Unknown(" + reason + ")";
    }
  }

  /**
   * Returns the number that a shell would show for this status as {@code $?}. It is ambiguous by
   * nature; match on the value where the difference matters.
   *
   * @return the exit code; 128 plus the number of the signal; 125 if the status is unknown, as
   *     {@code timeout(1)} and {@code env(1)} say of their own failures
   */
  default int shellCode() {
    return switch (this) {
      case Exited(int code) -> code;
      case Signaled(Signal signal, boolean _) -> 128 + signal.number();
      case Unknown _ -> 125;
    };
  }
}
