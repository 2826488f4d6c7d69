package dev.holdfast.exec.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpawnCallTest {
  @Test
  void child_hasTheDescriptorsNamedAndNoOther() {
    var stray = Fds.dupAtLeast(Fds.devNull(), 300);
    Native.libc().fcntl(stray, 2, 0); // F_SETFD: as the JDK's are, not close-on-exec
    try {
      assertThat(Child.output(builder -> builder, "/bin/ls", "/proc/self/fd"))
          .isEqualTo("0\n1\n2\n3\n"); // 3 is what ls reads
    } finally {
      Fds.close(stray);
    }
  }

  @Test
  void child_withWire_hasItAtItsNumberAlone() {
    var low = Fds.dupAtLeast(Fds.devNull(), 50);
    var high = Fds.dupAtLeast(Fds.devNull(), 300);
    Native.libc().fcntl(low, 2, 0);
    Native.libc().fcntl(high, 2, 0);
    try {
      assertThat(
              Child.output(builder -> builder.wire(Fds.devNull(), 100), "/bin/ls", "/proc/self/fd"))
          .isEqualTo("0\n1\n100\n2\n3\n");
    } finally {
      Fds.close(low);
      Fds.close(high);
    }
  }

  @Test
  void child_withWireBeyondTheLimit_keepsItLow() {
    assertThat(
            Child.output(
                builder -> builder.wire(Fds.devNull(), Integer.MAX_VALUE),
                "/bin/ls",
                "/proc/self/fd"))
        .isEqualTo("0\n1\n2\n3\n4\n");
  }

  @Test
  void sig09_child_hasDefaultSignalsAndAnEmptyMask() {
    var status = Child.output(builder -> builder, "/bin/cat", "/proc/self/status");
    assertThat(status)
        .contains("SigBlk:\t0000000000000000")
        .contains("SigIgn:\t0000000000000000")
        .contains("SigCgt:\t0000000000000000");
  }

  @Test
  void child_group_isItsOwnOrTheOneNamed() {
    var leader = Child.spawn(Fds.devNull(), 0, builder -> builder, "/bin/sleep", "300");
    var member = Child.spawn(Fds.devNull(), leader, builder -> builder, "/bin/sleep", "300");
    assertThat(Native.libc().getpgid(leader)).isEqualTo(leader);
    assertThat(Native.libc().getpgid(member)).isEqualTo(leader);
    Signals.killGroup(leader, Signals.KILL);
    Waits.reapBlocking(leader);
    Waits.reapBlocking(member);
  }

  @Test
  void child_session_isItsOwn() {
    var line =
        Child.output(
            builder -> builder.session(), "/bin/sh", "-c", "cut -d' ' -f1,5,6 /proc/$$/stat");
    var fields = line.strip().split(" ", -1);
    assertThat(fields[1]).isEqualTo(fields[0]);
    assertThat(fields[2]).isEqualTo(fields[0]);
  }

  @Test
  void child_directory_isWhereItStarts() {
    assertThat(Child.output(builder -> builder.directory(Child.utf8("/usr")), "/bin/pwd"))
        .isEqualTo("/usr\n");
  }

  @Test
  void spawn13AndEnv05_bytes_arriveAsTheyAre() {
    var pipe = Fds.pipe();
    byte[] odd = {'a', (byte) 0xc0, '*', ' ', '$', '"', (byte) 0xff};
    var argv =
        List.of(
            Child.utf8("sh"),
            Child.utf8("-c"),
            Child.utf8("printf %s \"$1$ODD\"; exit"),
            Child.utf8("sh"),
            odd);
    var envp = List.of(concat(Child.utf8("ODD="), odd));
    try (var call =
        SpawnCall.builder(Child.utf8("/bin/sh"), argv, envp).dup2(pipe.writeEnd(), 1).build()) {
      assertThat(call.pid()).isZero();
      assertThat(call.run()).isZero();
      Fds.close(pipe.writeEnd());
      Waits.reapBlocking(call.pid());
    }
    var buffer = NativeBlock.allocate(64);
    var n = (int) Fds.read(pipe.readEnd(), buffer, 0, 64);
    var bytes = new byte[n];
    buffer.getBytes(0, bytes, 0, n);
    Fds.close(pipe.readEnd());
    assertThat(bytes).isEqualTo(concat(odd, odd));
  }

  @Test
  void run_noSuchFile_returnsTheErrorAndNoPid() {
    try (var call = Child.call(Fds.devNull(), builder -> builder, "/nope")) {
      assertThat(call.run()).isEqualTo(Errno.ENOENT);
      assertThat(call.pid()).isZero();
    }
  }

  @Test
  void build_badDescriptor_isRefused() {
    assertThatThrownBy(() -> Child.call(Fds.devNull(), builder -> builder.dup2(-1, 0), "/bin/true"))
        .isInstanceOfSatisfying(
            ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBADF));
  }

  @Test
  void environ_inherited_hasWhatJavaSees() {
    var entries =
        Environ.inherited().stream().map(e -> new String(e, StandardCharsets.UTF_8)).toList();
    assertThat(entries).contains("PATH=" + System.getenv("PATH"));
    assertThat(entries).hasSizeGreaterThanOrEqualTo(System.getenv().size());
  }

  private static byte[] concat(byte[] a, byte[] b) {
    var both = java.util.Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
