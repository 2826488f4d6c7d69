package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("preview")
class DroppedScopeTest {

  /** Opens a scope and forgets it; what the code does with it must not keep it. */
  private static WeakReference<Scope> drop(String name, Consumer<Scope> code) {
    Scope scope = Scope.open(name, Policy.failFast());
    code.accept(scope);
    return new WeakReference<>(scope);
  }

  private static void collect(FakeSlot slot) {
    Awaitility.await()
        .atMost(Patience.LIMIT)
        .until(
            () -> {
              System.gc();
              return slot.halts.get() > 0;
            });
  }

  @Test
  void e38_droppedScope_isHaltedWithAWarnThatNamesTheLine_andItsOwnerEnds() throws Exception {
    try (LogCapture log = new LogCapture()) {
      FakeSlot slot = new FakeSlot();
      CountDownLatch dropped = new CountDownLatch(1);
      Thread owner =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    drop("lost", slot::arm);
                    dropped.countDown();
                  });
      Patience.await(dropped);
      assertThat(slot.halts).hasValue(0);

      collect(slot);
      assertThat(slot.cause).isEqualTo(Cause.HALTED);
      assertThat(log.text())
          .contains(
              "WARN",
              "Scope 'lost', opened at"
                  + " dev.holdfast.scope.DroppedScopeTest.drop(DroppedScopeTest.java:",
              "was dropped without close; its members are ended now.");
      assertThat(owner.isAlive()).as("held by its keeper until the slot has left").isTrue();
      slot.leave();
      Patience.await(owner);
    }
  }

  @Test
  void e38_laterScopeOnTheSameThread_works_andTheDroppedOneIsClosedFirst() throws Exception {
    try (LogCapture _ = new LogCapture()) {
      List<String> order = Collections.synchronizedList(new ArrayList<>());
      Patience.onOwnThread(
          () -> {
            FakeSlot slot = new FakeSlot();
            drop(
                "lost",
                scope -> {
                  slot.arm(scope);
                  scope.onClose(() -> order.add("clean-up of the lost"));
                });
            collect(slot);
            slot.endingWhenHalted(() -> order.add("slot of the lost"));
            try (Scope later = Scope.open()) {
              order.add("later");
              Task<String> task = later.fork(inner -> "done");
              later.join();
              assertThat(task.get()).isEqualTo("done");
            }
            assertThat(ScopeCore.innermost()).isNull();
          });
      assertThat(order).containsExactly("slot of the lost", "clean-up of the lost", "later");
    }
  }

  @Test
  void e38_whatTheCloseOfADroppedScopeThrows_isLogged_andNotThrownByTheNextOpen() throws Exception {
    try (LogCapture log = new LogCapture()) {
      Patience.onOwnThread(
          () -> {
            FakeSlot slot = new FakeSlot();
            drop(
                "lost",
                scope -> {
                  slot.arm(scope);
                  scope.onClose(
                      () -> {
                        throw new IllegalStateException("clean-up");
                      });
                });
            collect(slot);
            slot.leave();
            try (Scope later = Scope.open()) {
              assertThat(later.acquire(() -> 1, i -> {})).isEqualTo(1);
            }
          });
      assertThat(log.text())
          .contains("Scope 'lost', which had been dropped without close, ended with this.")
          .contains("IllegalStateException: clean-up");
    }
  }

  @Test
  void e38_droppedInnerScope_isClosedByItsOuterScope_withoutAFailure() throws Exception {
    try (LogCapture log = new LogCapture()) {
      Patience.onOwnThread(
          () -> {
            FakeSlot slot = new FakeSlot();
            try (Scope outer = Scope.open()) {
              FakeSlot.armedIn(outer).endingWhenHalted();
              drop("lost", slot::arm);
              collect(slot);
              slot.endingWhenHalted();
            }
            assertThat(ScopeCore.innermost()).isNull();
          });
      assertThat(log.text()).contains("Scope 'lost'");
    }
  }

  @Test
  void scopeInUse_isNotTakenForDropped_norIsOneThatIsClosed() throws Exception {
    try (LogCapture log = new LogCapture()) {
      Scope scope = Scope.open();
      FakeSlot slot = FakeSlot.armedIn(scope);
      for (int i = 0; i < 5; i++) {
        System.gc();
      }
      assertThat(slot.halts).hasValue(0);
      slot.endingWhenHalted();
      scope.close();
      WeakReference<Scope> closed = drop("closed", Scope::close);
      Awaitility.await()
          .until(
              () -> {
                System.gc();
                return closed.refersTo(null);
              });
      assertThat(log.text()).isEmpty();
    }
  }
}
