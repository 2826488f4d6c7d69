package dev.holdfast.exec.spawn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.VictimJvm;
import dev.holdfast.testkit.Witnessed;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@Witnessed
class SubreaperTest {
  @Test
  void leadersAndPlaceholders_areNeverItsPrey() {
    boolean isLong = System.getProperty("holdfast.profile", "short").equals("long");
    int rounds = isLong ? 5_000 : 300;
    try (var victim =
        VictimJvm.builder(SubreaperVictim.class).arg(Integer.toString(rounds)).start()) {
      assertThat(victim.await("ends ", Duration.ofMinutes(5)))
          .isEqualTo("ends {Exited(7)=" + 3 * rounds + "}");
      assertThat(victim.waitStatus()).isZero();
      assertThat(victim.errorLines()).isEmpty();
    }
  }

  @Test
  void birth_underWay_isTold() {
    long before = Births.mark();
    Births.begin();
    assertThat(Births.mark()).isEqualTo(Births.UNDER_WAY);
    Births.begin();
    Births.end();
    assertThat(Births.mark()).isEqualTo(Births.UNDER_WAY);
    Births.end();
    assertThat(Births.mark()).isNotEqualTo(Births.UNDER_WAY).isNotEqualTo(before);
    assertThat(Births.mark()).isEqualTo(Births.mark());
  }
}
