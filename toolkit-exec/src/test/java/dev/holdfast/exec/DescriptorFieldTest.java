package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.exec.spawn.Tripwire;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Descriptor;
import dev.holdfast.testkit.Fixture;
import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.ScopeExtension;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The field cases FD: descriptors neither pile up here nor leak into children. */
class DescriptorFieldTest {
  @RegisterExtension
  static final ScopeExtension<ExecScope> SCOPES =
      ScopeExtension.of(Exec::scope)
          .warmingUp(scope -> scope.run(Command.of("true")))
          .allowingThreads("holdfast-");

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int CHILDREN = Profile.times(300, 1000);

  @TempDir private Path dir;

  private static int descriptors() {
    return Census.descriptors().size();
  }

  /** The scope stays open: what is flat must be so before anything is cleaned up by its close. */
  private static void awaitFlat(int before) {
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(Census.descriptors()).hasSizeLessThanOrEqualTo(before));
  }

  private static Command piped(Command command) {
    return command.stdin(Input.pipe()).stdout(Output.pipe()).stderr(Output.pipe());
  }

  @Test
  void fd01_programMissing_manyTimes_descriptorsAreFlat(ExecScope scope) {
    var before = descriptors();
    for (var i = 0; i < CHILDREN; i++) {
      assertThatExceptionOfType(ExecException.class)
          .isThrownBy(() -> scope.spawn(piped(Command.of("/nope"))));
    }
    awaitFlat(before);
  }

  /** Refused by the kernel, when all pipes, the wire and the placeholder are there already. */
  @Test
  void fd01_programRefused_manyTimes_descriptorsAreFlat(ExecScope scope) throws IOException {
    var script = Files.writeString(dir.resolve("plain"), "text");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    var before = descriptors();
    for (var i = 0; i < CHILDREN; i++) {
      assertThatExceptionOfType(ExecException.class)
          .isThrownBy(() -> scope.spawn(piped(Command.of(script.toString()))))
          .returns(ExecException.Reason.NO_SHEBANG, ExecException::reason);
    }
    awaitFlat(before);
  }

  @Test
  void fd02_stdinClosedAtOnce_manyTimes_descriptorsAreFlat(ExecScope scope) throws Exception {
    var before = descriptors();
    for (var i = 0; i < CHILDREN; i++) {
      var child = scope.spawn(Command.of("cat").stdin(Input.pipe()));
      child.stdin().close();
      child.join().expectSuccess();
    }
    awaitFlat(before);
  }

  @Test
  void fd05_childOfAJvmWithOpenDescriptors_holdsStdioAndTheWireOnly(
      ExecScope scope, Marker marker, Census census) throws IOException {
    var file = Files.writeString(dir.resolve("file"), "content");
    var loopback = InetAddress.getLoopbackAddress();
    var server = new ServerSocket(0, 1, loopback);
    var port = server.getLocalPort();
    try (server;
        var client = new Socket(loopback, port);
        var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        var selector = Selector.open()) {
      var mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 7);
      var pipe = Pipe.open();
      try (var source = pipe.source();
          var sink = pipe.sink()) {
        var child = scope.spawn(Command.of(Fixture.program(marker, "sleep", "300")));
        census.awaitLive(1, SOON);
        await().atMost(SOON).until(() -> command(child).equals("sleep 300"));

        await().atMost(SOON).untilAsserted(() -> assertHoldsStdioAndTheWireOnly(child));
        assertThat(mapped.get(0)).isEqualTo((byte) 'c');
        assertThat(selector.isOpen() && client.isConnected()).isTrue();
        assertThat(source.isOpen() && sink.isOpen()).isTrue();
      }
    }
    try (var again = new ServerSocket(port, 1, loopback)) {
      assertThat(again.getLocalPort()).isEqualTo(port);
    }
    assertThat(census.live()).hasSize(1);
  }

  /** That a port which a child holds can't be bound is what the test above stands on. */
  @Test
  void fd05_childThatListens_keepsThePort(ExecScope scope, Marker marker) throws IOException {
    var child =
        scope.spawn(
            Command.of(Fixture.command(marker, "listen", "0", "forever")).stdout(Output.pipe()));
    var line = child.lines().findFirst().orElseThrow();
    var port = Integer.parseInt(line.substring("listening ".length()));

    assertThatExceptionOfType(BindException.class)
        .isThrownBy(() -> new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close());
  }

  /** Not at once: while it starts, its loader opens libraries. */
  private static void assertHoldsStdioAndTheWireOnly(ChildProcess child) {
    assertThat(Census.descriptors(child.pid()))
        .extracting(Descriptor::number)
        .containsExactlyInAnyOrder(0, 1, 2, Tripwire.CHILD_FD);
  }

  private static String command(ChildProcess child) {
    return Census.process(child.pid()).map(process -> process.command()).orElse("");
  }
}
