package dev.holdfast.exec.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class FdsTest {
  private static final int F_GETFD = 1;
  private static final int F_GETFL = 3;
  private final NativeBlock buffer = NativeBlock.allocate(64);

  private static int flags(int fd) {
    return Native.libc().fcntl(fd, F_GETFL, 0);
  }

  @Test
  void pipe_ends_areCloseOnExecAndNotInTheChildsRange() {
    var pipe = Fds.pipe();
    for (var fd : new int[] {pipe.readEnd(), pipe.writeEnd()}) {
      assertThat(fd).isGreaterThanOrEqualTo(Fds.FIRST_OURS);
      assertThat(Native.libc().fcntl(fd, F_GETFD, 0)).isEqualTo(1);
    }
    buffer.putLong(0, 42);
    assertThat(Fds.write(pipe.writeEnd(), buffer, 0, 8)).isEqualTo(8);
    assertThat(Fds.read(pipe.readEnd(), buffer, 16, 8)).isEqualTo(8);
    assertThat(buffer.getLong(16)).isEqualTo(42);
    assertThat(Fds.close(pipe.writeEnd())).isZero();
    assertThat(Fds.read(pipe.readEnd(), buffer, 0, 8)).isZero();
    assertThat(Fds.close(pipe.readEnd())).isZero();
    assertThat(Fds.close(pipe.readEnd())).isEqualTo(-Errno.EBADF);
  }

  @Test
  void write_readerGone_isEpipeAndNoSignal() {
    var pipe = Fds.pipe();
    Fds.close(pipe.readEnd());
    assertThat(Fds.write(pipe.writeEnd(), buffer, 0, 1)).isEqualTo(-Errno.EPIPE);
    Fds.close(pipe.writeEnd());
  }

  @Test
  void read_outsideTheBlock_isRefused() {
    assertThatThrownBy(() -> Fds.read(0, buffer, 60, 8))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void setNonBlocking_readEnd_leavesTheWriteEndAsItIs() {
    var pipe = Fds.pipe();
    assertThat(Fds.setNonBlocking(pipe.readEnd(), true)).isZero();
    assertThat(Fds.read(pipe.readEnd(), buffer, 0, 1)).isEqualTo(-Errno.EAGAIN);
    assertThat(flags(pipe.readEnd()) & Fds.O_NONBLOCK).isNotZero();
    assertThat(flags(pipe.writeEnd()) & Fds.O_NONBLOCK).isZero();
    assertThat(Fds.setNonBlocking(pipe.readEnd(), false)).isZero();
    assertThat(flags(pipe.readEnd()) & Fds.O_NONBLOCK).isZero();
    Fds.close(pipe.readEnd());
    Fds.close(pipe.writeEnd());
  }

  @Test
  void raise_refused_keepsTheOriginal() {
    var pipe = Fds.pipe();
    var raised = Fds.raise(pipe.writeEnd(), pipe.writeEnd() + 40);
    assertThat(raised).isGreaterThanOrEqualTo(pipe.writeEnd() + 40);
    assertThat(Fds.isOpen(pipe.writeEnd())).isFalse();
    assertThatThrownBy(() -> Fds.raise(raised, Integer.MAX_VALUE))
        .isInstanceOf(ErrnoException.class);
    assertThat(Fds.isOpen(raised)).isTrue();
    Fds.close(raised);
    Fds.close(pipe.readEnd());
  }

  @Test
  void setPipeSize_onePage_isTaken() {
    var pipe = Fds.pipe();
    assertThat(Fds.setPipeSize(pipe.writeEnd(), 4096)).isEqualTo(4096);
    Fds.close(pipe.readEnd());
    Fds.close(pipe.writeEnd());
  }

  @Test
  void open_files_readWriteAppend(@TempDir Path dir) throws IOException {
    var file = dir.resolve("file");
    var path = file.toString().getBytes(StandardCharsets.UTF_8);
    buffer.putByte(0, 'x');
    for (var i = 0; i < 2; i++) {
      var fd = Fds.openWrite(path);
      assertThat(flags(fd) & Fds.O_NONBLOCK).isZero();
      Fds.write(fd, buffer, 0, 1);
      Fds.close(fd);
    }
    var append = Fds.openAppend(path);
    Fds.write(append, buffer, 0, 1);
    Fds.close(append);
    assertThat(Files.readString(file)).isEqualTo("xx");
    var read = Fds.openRead(path);
    assertThat(Fds.read(read, buffer, 0, 64)).isEqualTo(2);
    Fds.close(read);
    assertThat(FileStatus.head(path, 64)).isEqualTo(new byte[] {'x', 'x'});
  }

  @Test
  void open_fifoWithoutPeer_doesNotBlock(@TempDir Path dir) throws Exception {
    var fifo = dir.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    var path = fifo.toString().getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> Fds.openWrite(path)).hasMessageContaining("ENXIO");
    assertThat(FileStatus.head(path, 64)).isEmpty();
  }

  @Test
  void devNull_twice_isOneDescriptor() {
    assertThat(Fds.devNull()).isEqualTo(Fds.devNull()).isGreaterThanOrEqualTo(Fds.FIRST_OURS);
    assertThat(Fds.read(Fds.devNull(), buffer, 0, 1)).isZero();
    assertThat(Fds.write(Fds.devNull(), buffer, 0, 1)).isEqualTo(1);
  }

  @Test
  void fileStatus_kindsAndAccess_areTold(@TempDir Path dir) throws IOException {
    assertThat(FileStatus.kind(Child.utf8("/"))).isEqualTo(FileStatus.Kind.DIRECTORY);
    assertThat(FileStatus.kind(Child.utf8("/dev/null"))).isEqualTo(FileStatus.Kind.OTHER);
    var file = Files.writeString(dir.resolve("é"), "");
    assertThat(FileStatus.kind(Child.utf8(file.toString()))).isEqualTo(FileStatus.Kind.FILE);
    assertThat(FileStatus.mayExecute(Child.utf8(file.toString()))).isEqualTo(-Errno.EACCES);
    assertThat(FileStatus.mayExecute(Child.utf8("/bin/sh"))).isZero();
    assertThat(FileStatus.mayExecute(Child.utf8("/nope"))).isEqualTo(-Errno.ENOENT);
    var link = Files.createSymbolicLink(dir.resolve("link"), Path.of("to"));
    assertThat(FileStatus.link(Child.utf8(link.toString()))).isEqualTo(Child.utf8("to"));
    assertThatThrownBy(() -> FileStatus.kind(Child.utf8("/nope")))
        .isInstanceOf(ErrnoException.class);
  }
}
