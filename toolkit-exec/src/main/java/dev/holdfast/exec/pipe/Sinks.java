package dev.holdfast.exec.pipe;

/** What all sinks share. */
public final class Sinks {
  /** The most bytes that are read from a pipe in one go: what a pipe of the kernel holds. */
  public static final int CHUNK = 64 * 1024;

  private Sinks() {}
}
