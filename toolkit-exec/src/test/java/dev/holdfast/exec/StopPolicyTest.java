package dev.holdfast.exec;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StopPolicyTest {
  @Test
  void standard_isTermFiveSecondsKill() {
    assertThat(StopPolicy.standard()).hasToString("SIGTERM+SIGCONT, wait PT5S, SIGKILL");
    assertThat(StopPolicy.standard().ladder())
        .containsExactly(new StopStep.Send(Signal.TERM), new StopStep.Await(Duration.ofSeconds(5)));
  }

  @Test
  void kill_hasNoStepBefore() {
    assertThat(StopPolicy.kill().ladder()).isEmpty();
    assertThat(StopPolicy.kill()).hasToString("SIGKILL");
  }

  @Test
  void steps_inTheirOrder_withKillAtTheEnd() {
    Runnable action = () -> {};
    StopPolicy policy =
        StopPolicy.steps()
            .closeStdin()
            .write("q\n")
            .write(new byte[] {1, 2, 3})
            .await(Duration.ofMillis(20))
            .signal(Signal.INT)
            .run("log off", action);
    assertThat(policy)
        .hasToString(
            "close stdin, write Input.text(2 chars), write Input.bytes(3 bytes), wait PT0.02S,"
                + " SIGINT, run 'log off', SIGKILL");
    assertThat(policy.ladder())
        .isUnmodifiable()
        .endsWith(new StopStep.Call("log off", action))
        .hasSize(6);
  }

  @Test
  void step_added_leavesTheReceiverAsItWas() {
    StopPolicy base = StopPolicy.graceful(Duration.ZERO);
    String before = base.toString();
    assertThat(base.signal(Signal.HUP)).isNotSameAs(base);
    assertThat(base).hasToString(before);
    assertThat(StopPolicy.steps().ladder()).isEmpty();
  }

  @Test
  void send_termAlone_isFollowedByCont() {
    for (int number = 1; number <= 64; number++) {
      Signal signal = Signal.of(number);
      assertThat(new StopStep.Send(signal).continuesAfter()).isEqualTo(signal == Signal.TERM);
    }
  }

  @Test
  void write_text_encodedByTheCommandsCharset() {
    assertThat(payload(StopPolicy.steps().write("q")).encode(UTF_16BE)).containsExactly(0, 'q');
    assertThat(payload(StopPolicy.steps().write("q")).encode(UTF_8)).containsExactly('q');
  }

  @Test
  void write_bytesChangedLater_noEffect() {
    byte[] bytes = {1};
    StopPolicy policy = StopPolicy.steps().write(bytes);
    bytes[0] = 2;
    assertThat(payload(policy).encode(UTF_8)).containsExactly(1);
  }

  @Test
  void await_negative_refused() {
    Duration negative = Duration.ofNanos(-1);
    assertThatIllegalArgumentException().isThrownBy(() -> StopPolicy.graceful(negative));
    assertThatIllegalArgumentException().isThrownBy(() -> StopPolicy.steps().await(negative));
  }

  @Test
  void steps_null_isNamed() {
    StopPolicy steps = StopPolicy.steps();
    nullNamed("grace", () -> StopPolicy.graceful(Nulls.nil()));
    nullNamed("limit", () -> steps.await(Nulls.nil()));
    nullNamed("signal", () -> steps.signal(Nulls.nil()));
    nullNamed("text", () -> steps.write(Nulls.<String>nil()));
    nullNamed("bytes", () -> steps.write(Nulls.<byte[]>nil()));
    nullNamed("name", () -> steps.run(Nulls.nil(), () -> {}));
    nullNamed("action", () -> steps.run("x", Nulls.nil()));
  }

  private static void nullNamed(
      String parameter, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatExceptionOfType(NullPointerException.class).isThrownBy(call).withMessage(parameter);
  }

  private static Inputs.Payload payload(StopPolicy policy) {
    return ((StopStep.Write) policy.ladder().getFirst()).payload();
  }
}
