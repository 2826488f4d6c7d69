package dev.holdfast.exec.pipe;

/** Keeps nothing. */
public enum Discard implements Sink {
  /** The one instance. */
  DISCARD;

  private static final byte[] NOTHING = {};

  @Override
  public void reserve(int bytes) {}

  @Override
  public Verdict accept(byte[] chunk, int length) {
    return Verdict.MORE;
  }

  @Override
  public byte[] content() {
    return NOTHING;
  }

  @Override
  public boolean truncated() {
    return false;
  }
}
