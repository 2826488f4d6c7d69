package dev.holdfast.exec.libc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class NativeFloorTest {
  /** Run in a JVM of its own: says what the first use comes to, twice. */
  static final class Probe {
    public static void main(String[] args) {
      for (var i = 0; i < 2; i++) {
        try {
          Native.libc();
          System.out.println("loaded");
        } catch (UnsupportedPlatformException e) {
          System.out.println(e.getMessage());
        }
      }
    }
  }

  private static String firstUse(String... options) throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var command = new ArrayList<>(List.of(java));
    command.addAll(List.of(options));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Probe.class.getName());
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @ParameterizedTest
  @CsvSource({"Windows 11, amd64", "Mac OS X, aarch64", "Linux, riscv64", "Linux, x86"})
  void libc_otherMachine_isRefusedWithOneSentence(String os, String arch) throws Exception {
    var line =
        "Holdfast needs Linux 5.3 or newer on x86-64 or aarch64 with glibc 2.34 or newer; this is "
            + os
            + " on "
            + arch
            + ".\n";
    assertThat(firstUse("-Dos.name=" + os, "-Dos.arch=" + arch)).isEqualTo(line + line);
  }

  @Test
  void libc_nativeAccessEnabled_saysNothingOnStderr() throws Exception {
    assertThat(firstUse("--enable-native-access=ALL-UNNAMED")).isEqualTo("loaded\nloaded\n");
  }

  @Test
  void pidfd_refusedBySandbox_isBelowTheFloor() {
    for (var errno : new int[] {Errno.EPERM, Errno.ENOSYS}) {
      try (var fault = FaultyLibc.errno("syscall", 1, errno)) {
        assertThatThrownBy(() -> Native.checkPidfd(Native.libc()))
            .isInstanceOf(UnsupportedPlatformException.class)
            .hasMessageContaining("pidfd_open is refused here: " + Errno.name(errno));
        assertThat(fault.struck()).isTrue();
      }
    }
  }

  @Test
  void glibc_symbolMissing_isBelowTheFloor() {
    try (var fault = FaultyLibc.errno("dlsym", 1, 0)) {
      assertThatThrownBy(() -> Native.checkLibrary(Native.libc()))
          .isInstanceOf(UnsupportedPlatformException.class)
          .hasMessageContaining("glibc 2.34")
          .hasMessageContaining("posix_spawn_file_actions_addclosefrom_np");
      assertThat(fault.struck()).isTrue();
    }
  }
}
