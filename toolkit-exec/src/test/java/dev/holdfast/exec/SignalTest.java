package dev.holdfast.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignalTest {
  @Property
  void of_everyNumber_comesBackByEitherName(@ForAll @IntRange(min = 1, max = 64) int number) {
    Signal signal = Signal.of(number);
    assertThat(signal.number()).isEqualTo(number);
    assertThat(signal).hasToString("SIG" + signal.name());
    assertThat(Signal.of(number)).isSameAs(signal);
    assertThat(Signal.of(signal.name())).isSameAs(signal);
    assertThat(Signal.of(signal.toString().toLowerCase(Locale.ROOT))).isSameAs(signal);
  }

  @Test
  void names_ofAllNumbers_differ() {
    Set<String> names = new HashSet<>();
    for (int number = 1; number <= 64; number++) {
      names.add(Signal.of(number).name());
    }
    assertThat(names).hasSize(64);
  }

  @ParameterizedTest
  @EnumSource(jnr.constants.platform.Signal.class)
  void numbers_namedByJnr_agree(jnr.constants.platform.Signal constant) {
    int number = constant.intValue();
    // The numbers of names that Linux lacks stand outside its range; NSIG and the limits of the
    // real-time range are no names of signals.
    boolean isSignal = constant.defined() && number >= 1 && number <= 31;
    if (isSignal && !constant.name().startsWith("SIGRT") && !constant.name().equals("NSIG")) {
      assertThat(Signal.of(constant.name()).number()).isEqualTo(number);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SIGKILL,9",
    "TERM,15",
    "sigint,2",
    "IOT,6",
    "CLD,17",
    "POLL,29",
    "RTMIN,34",
    "SIGRTMIN+0,34",
    "RTMIN+1,35",
    "RTMIN+30,64",
    "RTMAX,64",
    "RTMAX-0,64",
    "SIGRTMAX-14,50",
    "RTMAX-30,34"
  })
  void of_name_isTheNumber(String name, int number) {
    assertThat(Signal.of(name).number()).isEqualTo(number);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "SIG", "SIGSIGTERM", "NOPE", "RTMIN+31", "RTMAX-31", "RTMIN-1", "9"})
  void of_unknownName_refused(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Signal.of(name))
        .withMessageContaining(ShellQuote.quote(name));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 65, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void of_numberOutOfRange_refused(int number) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Signal.of(number))
        .withMessageContaining(Integer.toString(number));
  }

  @Test
  void constants_haveTheirNumbers() {
    assertThat(Signal.KILL).hasToString("SIGKILL").isSameAs(Signal.of(9));
    assertThat(Signal.TERM.number()).isEqualTo(15);
    assertThat(Signal.CONT.number()).isEqualTo(18);
    assertThat(Signal.SYS).hasToString("SIGSYS");
  }
}
