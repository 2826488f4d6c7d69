package dev.holdfast.exec.libc;

import org.jspecify.annotations.Nullable;

/**
 * Runs things on a platform thread of their own. A class initializer that meets the
 * StackOverflowError of a deep caller leaves its class unusable for the rest of the JVM's life (JLS
 * 12.4.2), so the classes that end processes are initialized here, before they are needed.
 */
public final class FreshStack {
  private FreshStack() {}

  /**
   * Runs an action and waits for it; an interrupt is kept for later.
   *
   * @param name what the thread is called
   * @param action what to run
   * @return what it threw, or null
   */
  public static @Nullable Throwable run(String name, Runnable action) {
    var attempt = new Attempt(action);
    var thread = Thread.ofPlatform().daemon().name(name).start(attempt);
    var interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return attempt.failure;
  }

  /**
   * Initializes classes, in this order, on the calling thread.
   *
   * @param classes which
   */
  public static void initialize(Class<?>... classes) {
    for (var type : classes) {
      try {
        Class.forName(type.getName(), true, type.getClassLoader());
      } catch (ClassNotFoundException e) {
        throw new LinkageError("The class " + type.getName() + " is gone.", e);
      }
    }
  }

  private static final class Attempt implements Runnable {
    private final Runnable action;
    private @Nullable Throwable failure;

    Attempt(Runnable action) {
      this.action = action;
    }

    @Override
    public void run() {
      try {
        action.run();
      } catch (Throwable t) {
        failure = t;
      }
    }
  }
}
