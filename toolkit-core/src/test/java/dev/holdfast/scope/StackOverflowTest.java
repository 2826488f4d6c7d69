package dev.holdfast.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real StackOverflowErrors: each operation is tried from the deepest frame upwards until it works.
 */
@SuppressWarnings({
  "InfiniteRecursion",
  "ExposedPrivateType"
}) // to the end of the stack, which is what is tested
class StackOverflowTest {
  private static final long STACK_BYTES = 400_000;

  /** Every so many frames it is tried; each round at others. */
  private static final int STRIDE = 20;

  private static final int ENOUGH = 3;

  /** Resources that exist; a slot that was published ends its own when it is halted. */
  static final class Resources {
    final AtomicInteger alive = new AtomicInteger();
    final AtomicInteger made = new AtomicInteger();
    private final ConcurrentLinkedQueue<Owned> published = new ConcurrentLinkedQueue<>();
    private volatile boolean over;
    private final Thread reactor = Thread.ofPlatform().daemon().start(this::serve);

    private void serve() {
      while (!over) {
        for (Owned slot : published) {
          if (slot.halts.get() > 0 && published.remove(slot)) {
            alive.decrementAndGet();
            slot.leave();
          }
        }
        LockSupport.parkNanos(200_000);
      }
    }

    private final class Owned extends FakeSlot {
      private boolean exists;

      void exist() {
        alive.incrementAndGet();
        made.incrementAndGet();
        exists = true;
      }
    }

    void make(Scope scope) {
      Owned slot = new Owned();
      slot.arm(scope);
      try {
        slot.exist();
      } catch (Throwable t) {
        if (slot.exists) {
          published.add(slot);
        } else {
          slot.withdraw();
        }
        throw t;
      }
      published.add(slot);
    }

    void end() throws InterruptedException {
      over = true;
      Patience.await(reactor);
    }
  }

  /** What is tried at each depth. */
  enum Operation {
    ARM {
      @Override
      void on(Scope scope, Resources resources) {
        resources.make(scope);
      }
    },
    ACQUIRE {
      @Override
      void on(Scope scope, Resources resources) {
        scope.acquire(
            () -> resources.alive.incrementAndGet(), made -> resources.alive.decrementAndGet());
      }
    },
    FORK {
      @Override
      void on(Scope scope, Resources resources) {
        scope.fork(
            inner -> {
              resources.make(inner);
              return "done";
            });
      }
    },
    OPEN_AND_CLOSE {
      @Override
      void on(Scope scope, Resources resources) {
        try (Scope inner = Scope.open()) {
          resources.make(inner);
        }
      }
    },
    OPEN_FORK_AND_CLOSE {
      @Override
      void on(Scope scope, Resources resources) {
        try (Scope inner = Scope.open()) {
          inner.fork(
              body -> {
                resources.make(body);
                return "done";
              });
        }
      }
    },
    HALT {
      @Override
      void on(Scope scope, Resources resources) {
        scope.halt();
      }
    },
    CLOSE {
      @Override
      void on(Scope scope, Resources resources) {
        scope.close();
      }
    };

    abstract void on(Scope scope, Resources resources);
  }

  /** Recurses to the end of the stack and tries from there upwards. */
  private static final class Diver {
    private final Scope scope;
    private final Resources resources;
    private final Operation operation;
    private int frames;
    int overflows;
    int successes;

    Diver(Scope scope, Resources resources, Operation operation, int round) {
      this.scope = scope;
      this.resources = resources;
      this.operation = operation;
      this.frames = round;
    }

    void dive() {
      try {
        dive();
      } catch (StackOverflowError e) {
        if (successes == ENOUGH || frames++ % STRIDE != 0) {
          throw e;
        }
        tryHere();
        throw e;
      }
    }

    private void tryHere() {
      try {
        operation.on(scope, resources);
        successes++;
      } catch (StackOverflowError e) {
        overflows++;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void e34_stackOverflowAtEveryDepth_leavesNothing_andTheScopeUsableOrClosed(Operation operation)
      throws Exception {
    for (Operation each : Operation.values()) {
      Patience.onOwnThread(() -> warmUp(each));
    }
    int overflows = 0;
    for (int round = 0; round < Profile.times(STRIDE / 4, 5 * STRIDE); round++) {
      overflows += dive(operation, round);
    }
    System.out.printf("%s: %d StackOverflowErrors%n", operation, overflows);
    assertThat(overflows).isGreaterThan(3);
  }

  private static void warmUp(Operation operation) throws Exception {
    Resources resources = new Resources();
    for (int i = 0; i < 20; i++) {
      try (Scope scope = Scope.open()) {
        operation.on(scope, resources);
      }
    }
    resources.end();
    assertThat(resources.alive).hasValue(0);
  }

  private static int dive(Operation operation, int round) throws Exception {
    Resources resources = new Resources();
    AtomicInteger overflows = new AtomicInteger();
    AtomicInteger finalizers = new AtomicInteger();
    Patience.onOwnThread(
        STACK_BYTES,
        () -> {
          Scope scope = Scope.open();
          try (scope) {
            scope.onClose(finalizers::incrementAndGet);
            Diver diver = new Diver(scope, resources, operation, round);
            try {
              diver.dive();
            } catch (StackOverflowError e) {
              // The tries are over.
            }
            overflows.set(diver.overflows);
            assertThat(diver.successes).isEqualTo(ENOUGH);
            assertUsableOrEnded(scope, operation);
          }
          assertThat(finalizers).hasValue(1);
          assertThat(ScopeCore.innermost()).isNull();
        });
    assertThat(resources.alive).hasValue(0);
    resources.end();
    return overflows.get();
  }

  private static void assertUsableOrEnded(Scope scope, Operation operation) throws Exception {
    if (operation == Operation.HALT) {
      assertThatThrownBy(scope::refuseIfHalted).isInstanceOf(ScopeHaltedException.class);
    } else if (operation == Operation.CLOSE) {
      assertThatThrownBy(scope::join).hasMessageContaining("is closed");
    } else {
      assertThat(scope.acquire(() -> "usable", s -> {})).isEqualTo("usable");
      CountDownLatch ran = new CountDownLatch(1);
      scope.fork(
          inner -> {
            ran.countDown();
            return "done";
          });
      Patience.await(ran);
    }
  }

  @Test
  void forkAfterACaughtStackOverflow_works() throws Exception {
    Patience.onOwnThread(
        () -> {
          try (Scope scope = Scope.open()) {
            assertThatThrownBy(() -> recurse(1)).isInstanceOf(StackOverflowError.class);
            Task<List<Integer>> task = scope.fork(inner -> List.of(1));
            scope.join();
            assertThat(task.get()).containsExactly(1);
          }
        });
  }

  private static int recurse(int depth) {
    return recurse(depth + 1) + 1;
  }
}
