package dev.holdfast.exec.spawn;

/** One step of a stop ladder. The KILL at the end is no rung: it always comes. */
public sealed interface Rung {
  /**
   * Signals the tree.
   *
   * @param signal the number
   * @param thenContinue whether CONT follows, so that a stopped process can act on it
   */
  record Send(int signal, boolean thenContinue) implements Rung {}

  /**
   * Waits for the tree to be gone.
   *
   * @param nanos how long at most
   */
  record Await(long nanos) implements Rung {}

  /** Closes the child's stdin, if it is a pipe of ours. */
  record CloseStdin() implements Rung {}

  /**
   * Writes to the child's stdin, if it is a pipe of ours.
   *
   * @param content what to write
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Write(byte[] content) implements Rung {}

  /**
   * Starts code of the user on a virtual thread and doesn't wait for it.
   *
   * @param name for messages
   * @param action the code
   */
  record Call(String name, Runnable action) implements Rung {}
}
