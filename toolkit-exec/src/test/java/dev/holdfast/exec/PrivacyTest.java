package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testkit.Marker;
import dev.holdfast.testkit.VictimJvm;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** No environment value in any log line, message or description. */
class PrivacyTest {
  private static final String SECRET = "s3cr3t-" + Marker.unique().text();

  /** Runs commands with a secret in their environment, in every way that says something. */
  static final class Talkative {
    public static void main(String[] args) throws Exception {
      String secret = args[0];
      Command base = Command.of("sh", "-c", "sleep 60").env("TOKEN", secret);
      try (ExecScope scope = Exec.scope(o -> o.stop(StopPolicy.graceful(Duration.ofMillis(50))))) {
        ChildProcess child = scope.spawn(base);
        System.out.println(child + " " + base + " " + child.identity() + " " + child.stop());
        System.out.println(scope.run(base.timeout(Duration.ofMillis(50))));
        try {
          scope.run(Command.of("/nope").env("TOKEN", secret));
        } catch (ExecException e) {
          System.out.println(e);
        }
        try {
          scope.run(base.timeout(Duration.ofMillis(50))).expectSuccess();
        } catch (ExecException e) {
          System.out.println(e);
        }
      }
      System.out.println("done");
    }
  }

  @Test
  void environmentValue_isInNoLogLineAndNoMessage() throws Exception {
    try (VictimJvm victim =
        VictimJvm.builder(Talkative.class)
            .arg(SECRET)
            .systemProperty("org.slf4j.simpleLogger.defaultLogLevel", "trace")
            .start()) {
      victim.await("done");
      victim.waitStatus();
      assertThat(victim.output()).contains("DEBUG").contains("has exited").doesNotContain(SECRET);
    }
  }

  @Test
  void badEnvironment_namesTheKeyOnly() {
    assertThatThrownBy(() -> Command.of("true").env("TOKEN", SECRET + "\0"))
        .isInstanceOf(ExecException.class)
        .hasMessageContaining("TOKEN")
        .hasMessageNotContaining(SECRET);
  }
}
