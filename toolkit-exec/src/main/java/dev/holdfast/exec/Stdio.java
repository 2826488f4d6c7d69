package dev.holdfast.exec;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The three streams of a command and how their bytes become text. An output that is null was not
 * chosen: its default differs between spawn and run. While {@code merged} holds, stderr goes
 * wherever stdout goes and {@code stderr} is null.
 */
record Stdio(
    Input stdin,
    @Nullable Output stdout,
    @Nullable Output stderr,
    boolean merged,
    Charset charset) {
  static final Stdio DEFAULTS = new Stdio(Input.empty(), null, null, false, StandardCharsets.UTF_8);

  Stdio withStdin(Input input) {
    return new Stdio(input, stdout, stderr, merged, charset);
  }

  Stdio withStdout(Output output) {
    return new Stdio(stdin, output, stderr, merged, charset);
  }

  Stdio withStderr(Output output) {
    return new Stdio(stdin, stdout, output, false, charset);
  }

  Stdio withMergedStderr() {
    return new Stdio(stdin, stdout, null, true, charset);
  }

  Stdio withCharset(Charset other) {
    return new Stdio(stdin, stdout, stderr, merged, other);
  }

  Output stdoutOr(Output fallback) {
    return stdout == null ? fallback : stdout;
  }

  /** What was chosen for stderr; to be asked only if it is not merged into stdout. */
  Output stderrOr(Output fallback) {
    assert !merged;
    return stderr == null ? fallback : stderr;
  }
}
