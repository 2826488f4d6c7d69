package dev.holdfast.exec.pipe;

/** Takes what a child writes, on a virtual thread: may block and may be code of the user. */
public interface ByteConsumer {
  /**
   * Takes bytes.
   *
   * @param chunk holds the bytes at its start; valid during the call only
   * @param length how many
   * @throws Exception fails the run, while the child's output is drained on
   */
  void accept(byte[] chunk, int length) throws Exception;

  /**
   * The stream has ended.
   *
   * @throws Exception fails the run
   */
  void end() throws Exception;
}
