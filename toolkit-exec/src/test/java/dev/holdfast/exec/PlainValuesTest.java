package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.exec.ExitStatus.Exited;
import dev.holdfast.exec.ExitStatus.Signaled;
import dev.holdfast.exec.ExitStatus.Unknown;
import dev.holdfast.exec.Protection.GroupSignal;
import dev.holdfast.exec.Protection.Tripwire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainValuesTest {
  @Test
  void exitStatus_exit137AndSigkill_differThoughAShellCantTell() {
    ExitStatus exited = new Exited(137);
    ExitStatus killed = new Signaled(Signal.KILL, false);
    assertThat(exited).isNotEqualTo(killed);
    assertThat(exited.shellCode()).isEqualTo(137).isEqualTo(killed.shellCode());
  }

  @Test
  void exitStatus_equality_isByValue() {
    assertThat(new Signaled(Signal.of(9), false)).isEqualTo(new Signaled(Signal.KILL, false));
    assertThat(new Signaled(Signal.SEGV, true)).isNotEqualTo(new Signaled(Signal.SEGV, false));
    assertThat(new Exited(0).shellCode()).isZero();
    assertThat(new Unknown("x").shellCode()).isEqualTo(125);
  }

  @Test
  void exitStatus_text_isShort() {
    assertThat(new Exited(3)).hasToString("Exited(3)");
    assertThat(new Signaled(Signal.TERM, false)).hasToString("Signaled(SIGTERM)");
    assertThat(new Signaled(Signal.SEGV, true)).hasToString("Signaled(SIGSEGV, core dumped)");
    assertThat(new Unknown("reaped by another")).hasToString("Unknown(reaped by another)");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 256})
  void exited_codeOutOfRange_refused(int code) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Exited(code));
  }

  @Test
  void usage_negativePart_refused() {
    Duration negative = Duration.ofNanos(-1);
    assertThatIllegalArgumentException().isThrownBy(() -> new Usage(negative, Duration.ZERO, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new Usage(Duration.ZERO, negative, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Usage(Duration.ZERO, Duration.ZERO, -1));
  }

  @Test
  void identity_text_isOneStableLine() {
    assertThat(new ProcessIdentity("b00-7", 4026531836L, 42, 987))
        .hasToString("42@987:b00-7:4026531836");
  }

  @Test
  void identity_ofNoProcess_refused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new ProcessIdentity("b", 1, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new ProcessIdentity(" ", 1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new ProcessIdentity("b", -1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new ProcessIdentity("b", 1, 1, -1));
  }

  @Test
  void protection_levels_standInTheOrderOfStrength() {
    assertThat(Tripwire.values())
        .containsExactly(Tripwire.NONE, Tripwire.ARMED_AFTER_SPAWN, Tripwire.ARMED_BEFORE_SPAWN);
    assertThat(GroupSignal.PINNED_LEADER).isLessThan(GroupSignal.PIDFD);
    assertThat(Containment.GROUP).isLessThan(Containment.TREE);
  }

  @Test
  void protection_notesChangedLater_noEffect() {
    List<String> notes = new ArrayList<>(List.of("One."));
    Protection protection =
        new Protection(Tripwire.NONE, GroupSignal.PIDFD, Containment.TREE, notes);
    notes.add("Two.");
    assertThat(protection.notes()).containsExactly("One.").isUnmodifiable();
  }

  @Test
  void scopeOptions_notChosen_leaveTheDefaults() {
    ScopeOptions options = ScopeOptions.DEFAULTS;
    assertThat(options.name()).isEmpty();
    assertThat(options.containment()).isEmpty();
    assertThat(options.stop()).isSameAs(StopPolicy.standard());
    assertThat(options.toString()).contains("none", "default", "SIGKILL");
  }

  @Test
  void scopeOptions_chosen_areCopiesThatAddUp() {
    ScopeOptions options =
        ScopeOptions.DEFAULTS
            .name("build 7")
            .stop(StopPolicy.kill())
            .containment(Containment.GROUP);
    assertThat(options.name()).hasValue("build 7");
    assertThat(options.stop()).isSameAs(StopPolicy.kill());
    assertThat(options.containment()).hasValue(Containment.GROUP);
    assertThat(options.name("other").stop()).isSameAs(StopPolicy.kill());
    assertThat(ScopeOptions.DEFAULTS.name()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\nb", "\u001b[31m"})
  void scopeOptions_nameNotOneLine_refused(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> ScopeOptions.DEFAULTS.name(name));
  }

  @Test
  void nullPart_anywhere_isNamed() {
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> ScopeOptions.DEFAULTS.stop(Nulls.nil()))
        .withMessage("stop");
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> new Signaled(Nulls.nil(), false))
        .withMessage("signal");
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> new Usage(Duration.ZERO, Nulls.nil(), 0))
        .withMessage("systemTime");
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> new ProcessIdentity(Nulls.nil(), 1, 1, 1))
        .withMessage("bootId");
  }

  @Test
  void execException_parts_areKept() {
    Command command = Command.of("nope");
    ExecException failure =
        new ExecException(ExecException.Reason.NOT_FOUND, "There is no nope.", 2, command);
    assertThat(failure).hasMessage("There is no nope.").hasNoCause();
    assertThat(failure.reason()).isEqualTo(ExecException.Reason.NOT_FOUND);
    assertThat(failure.errno()).hasValue(2);
    assertThat(failure.command()).isSameAs(command);
    assertThat(failure.result()).isNull();
  }

  @Test
  @SuppressWarnings("BanSerializableRead") // our own bytes, of a moment ago
  void execException_serialized_keepsReasonAndErrno() throws Exception {
    ExecException failure =
        new ExecException(ExecException.Reason.RESOURCES, "Full.", 24, Command.of("x"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(failure);
    }
    byte[] written = bytes.toByteArray();
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(written))) {
      ExecException read = (ExecException) in.readObject();
      assertThat(read.reason()).isEqualTo(ExecException.Reason.RESOURCES);
      assertThat(read.errno()).hasValue(24);
      assertThat(read.command()).isNull();
    }
  }
}
