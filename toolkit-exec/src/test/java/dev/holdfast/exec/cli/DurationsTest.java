package dev.holdfast.exec.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "0, PT0S",
    "20, PT20S",
    "20s, PT20S",
    "500ms, PT0.5S",
    "1.5s, PT1.5S",
    "0.25, PT0.25S",
    "2m, PT2M",
    "3h, PT3H",
    "1.5d, PT36H",
    "0.000000001, PT0.000000001S",
    "36525d, PT876600H"
  })
  void number_withUnit_isThatLong(String text, Duration expected) {
    assertThat(Durations.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "s", "-1", "+1", "1 s", "1S", "1us", "1sec", "1h30m", ".5", "1.", "1e3", "0x10",
        "NaN", "PT1S", "1,5s", "\u0661"
      })
  void anythingElse_isRefused_withTheWayOut(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "' is not a duration")
        .hasMessageContaining("ms, s, m, h or d");
  }

  @Test
  void moreThanACentury_isRefused() {
    assertThatThrownBy(() -> Durations.parse("36526d"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("'36526d' is longer than a century");
    assertThatThrownBy(() -> Durations.parse("999999999999999999d"))
        .isInstanceOf(TypeConversionException.class);
  }
}
