package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("preview")
class SlotTest {

  @Test
  void settledSlot_isNotJoinedAnyMore_butStaysWithTheScope() throws Exception {
    try (Scope scope = Scope.open()) {
      FakeSlot slot = FakeSlot.armedIn(scope);
      slot.settle();
      scope.join();
      assertThat(scope.awaitResources(Duration.ZERO)).isFalse();
      slot.endingWhenHalted();
    }
  }

  @Test
  void failureOfASettledSlot_haltsTheScopeBeforeItLeaves() {
    try (Scope scope = Scope.open()) {
      FakeSlot sibling = FakeSlot.armedIn(scope).endingWhenHalted();
      FakeSlot slot = FakeSlot.armedIn(scope).endingWhenHalted();
      slot.failure = new IllegalArgumentException("bad");
      slot.settle();
      assertThat(sibling.cause).isEqualTo(Cause.SIBLING_FAILED);
      assertThatThrownBy(scope::join).hasMessage("bad");
    }
  }

  @Test
  void slot_isJudgedOnce_whenItSettles() throws Exception {
    try (Scope scope = Scope.open()) {
      FakeSlot slot = FakeSlot.armedIn(scope);
      slot.settle();
      slot.failure = new IllegalArgumentException("too late");
      slot.leave();
      scope.join();
      scope.refuseIfHalted();
    }
  }

  @Test
  void withdrawnSlot_isForgottenUnjudged_andMayBeArmedAnew() throws Exception {
    try (Scope scope = Scope.open()) {
      FakeSlot slot = FakeSlot.armedIn(scope);
      slot.failure = new IllegalArgumentException("bad");
      slot.withdraw();
      slot.withdraw();
      scope.join();
      scope.refuseIfHalted();
      assertThat(scope.awaitResources(Duration.ZERO)).isTrue();
      slot.failure = null;
      slot.arm(scope);
      assertThat(scope.awaitResources(Duration.ZERO)).isFalse();
      scope.halt();
      assertThat(slot.halts).hasValue(1);
      slot.leave();
    }
  }

  @Test
  void survivorThatEndsLater_leavesOnce() throws Exception {
    Scope scope = Scope.open();
    FakeSlot lost = FakeSlot.armedIn(scope);
    FakeSlot other = FakeSlot.armedIn(scope);
    lost.survivor = "pid 5";
    lost.leave();
    lost.leave();
    assertThat(scope.awaitResources(Duration.ZERO)).isFalse();
    other.leave();
    assertThat(scope.awaitResources(Duration.ZERO)).isTrue();
    assertThatThrownBy(scope::close)
        .isInstanceOfSatisfying(
            TeardownException.class, e -> assertThat(e.survivors()).containsExactly("pid 5"));
  }

  @Test
  void slotThatIsNotArmed_ignoresEverything() {
    FakeSlot slot = new FakeSlot();
    slot.settle();
    slot.leave();
    slot.withdraw();
    slot.told();
    assertThat(slot.halts).hasValue(0);
  }

  @Test
  void slotThatWasRefused_isNotInTheScope() throws Exception {
    try (Scope scope = Scope.open()) {
      scope.halt();
      FakeSlot slot = new FakeSlot();
      assertThatThrownBy(() -> slot.arm(scope)).isInstanceOf(ScopeHaltedException.class);
      scope.halt();
      assertThat(slot.halts).hasValue(0);
      slot.withdraw();
      slot.leave();
      assertThat(scope.awaitResources(Duration.ZERO)).isTrue();
    }
  }
}
