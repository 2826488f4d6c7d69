package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

@Witnessed
class VictimArchiveTest {

  @Test
  void victim_fromArchive_usesItAlsoAsOrdinaryUser() {
    Path cache;
    try (var archive = VictimArchive.train(VictimJvm.builder(Echo.class))) {
      cache = Path.of(archive.options().getFirst().substring("-XX:AOTCache=".length()));
      assertThat(cache).exists();
      try (var victim = start(archive, VictimJvm.builder(Echo.class));
          var other = start(archive, VictimJvm.builder(Echo.class).asOrdinaryUser())) {
        victim.send("one");
        other.send("two");
        victim.await("one");
        other.await("two");
        assertThat(victim.waitStatus()).isZero();
        assertThat(other.waitStatus()).isZero();
      }
    }
    assertThat(cache.getParent()).doesNotExist();
  }

  @Test
  void train_victimFails_startsWithoutArchive() {
    var broken = VictimJvm.builder(Echo.class).jvmArg("-XX:NoSuchOption");
    try (var archive = VictimArchive.train(broken)) {
      assertThat(archive.options()).isEmpty();
      try (var victim = VictimJvm.builder(Echo.class).from(archive).start()) {
        victim.send("three");
        victim.await("three");
      }
    }
  }

  /** Ends with an error if the archive can't be used. */
  private static VictimJvm start(VictimArchive archive, VictimJvmBuilder builder) {
    return builder.from(archive).jvmArg("-XX:AOTMode=on").start();
  }

  static final class Echo {
    private Echo() {}

    public static void main(String[] args) throws IOException {
      var line = new StringBuilder();
      for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) {
        line.append((char) c);
      }
      System.out.println(line);
    }
  }
}
