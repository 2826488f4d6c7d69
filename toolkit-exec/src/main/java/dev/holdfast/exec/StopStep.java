package dev.holdfast.exec;

import java.time.Duration;

/** One rung of a {@link StopPolicy}. The KILL at the end is no step: it always comes. */
sealed interface StopStep {
  /** Closes the child's stdin, if it is a pipe of ours; else nothing. */
  record CloseStdin() implements StopStep {
    @Override
    public String toString() {
      return "close stdin";
    }
  }

  /** Writes to the child's stdin, if it is a pipe of ours and still open; else nothing. */
  record Write(Inputs.Payload payload) implements StopStep {
    @Override
    public String toString() {
      return "write " + payload;
    }
  }

  /** Signals the tree. */
  record Send(Signal signal) implements StopStep {
    /** A stopped process can't act on TERM before it is continued; see {@code signal(7)}. */
    boolean continuesAfter() {
      return signal == Signal.TERM;
    }

    @Override
    public String toString() {
      return continuesAfter() ? signal + "+SIGCONT" : signal.toString();
    }
  }

  /** Waits until the tree is gone, but not longer than this. */
  record Await(Duration limit) implements StopStep {
    @Override
    public String toString() {
      return "wait " + limit;
    }
  }

  /** Starts user code on a virtual thread and does not wait for it. */
  record Call(String name, Runnable action) implements StopStep {
    @Override
    public String toString() {
      return "run " + ShellQuote.quote(name);
    }
  }
}
