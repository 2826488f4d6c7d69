package dev.holdfast.scope;

import java.util.concurrent.FutureTask;

/** What may strike at a halt point. */
enum Strike {
  INTERRUPT {
    @Override
    void on(Scope scope) {
      Thread.currentThread().interrupt();
    }
  },
  HALT {
    @Override
    void on(Scope scope) {
      scope.halt();
    }
  },
  HALT_BY_STRANGER {
    @Override
    void on(Scope scope) {
      FutureTask<Void> halt = Patience.task(scope::halt);
      Thread.ofPlatform().daemon().start(halt);
      boolean interrupted = false;
      while (true) {
        try {
          Patience.outcome(halt);
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  },
  ERROR {
    @Override
    void on(Scope scope) {
      throw new Struck();
    }
  },
  STACK_OVERFLOW {
    @Override
    void on(Scope scope) {
      throw new StackOverflowError("struck");
    }
  },
  OUT_OF_MEMORY {
    @Override
    void on(Scope scope) {
      throw new OutOfMemoryError("struck");
    }
  };

  /** An Error that nobody else throws. */
  static final class Struck extends Error {
    private static final long serialVersionUID = 1L;

    Struck() {
      super("struck");
    }
  }

  abstract void on(Scope scope);

  boolean isError() {
    return this == ERROR || this == STACK_OVERFLOW || this == OUT_OF_MEMORY;
  }

  boolean isHalt() {
    return this == HALT || this == HALT_BY_STRANGER;
  }
}
