package dev.holdfast.exec.libc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SigChldTest {
  /** Run in a JVM of its own: says what it knows of a child's end. */
  static final class Probe {
    public static void main(String[] args) {
      Native.libc();
      var pid = Child.spawn(Fds.devNull(), 0, b -> b, "/bin/sh", "-c", "exit 7");
      var block = NativeBlock.allocate(Waits.BLOCK_BYTES);
      int rc;
      while ((rc = Waits.reap(pid, block)) == 0) {
        Thread.onSpinWait();
      }
      var status = rc == pid ? Waits.exitCode(Waits.status(block)) : rc;
      System.out.println("unseen=" + SigChld.reapsUnseen() + " status=" + status);
    }
  }

  @Test
  void exit05_inheritedIgnored_isSetToDefault() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var process =
        new ProcessBuilder(
                "/bin/bash", // dash does not ignore SIGCHLD when told to
                "-c",
                "trap '' CHLD; exec \"$0\" \"$@\"",
                java,
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Probe.class.getName())
            .redirectErrorStream(true)
            .start();
    var said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).isEqualTo("unseen=false status=7\n");
  }
}
