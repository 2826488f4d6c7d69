package dev.holdfast.scope;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Containment of threads by {@code StructuredTaskScope} (JEP 505), reached through method handles:
 * it is a preview API in JDK 25, and compiled against directly it would run on exactly that JDK and
 * only with {@code --enable-preview}. The group never waits in {@code join} but in {@link #close},
 * so nothing but {@code close} cancels it. Owner's thread only.
 */
final class TaskGroup {
  private static final MethodHandle OPEN;
  private static final MethodHandle FORK;
  private static final MethodHandle JOIN;
  private static final MethodHandle CLOSE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      String name = "java.util.concurrent.StructuredTaskScope";
      Class<?> scope = Class.forName(name);
      Class<?> joiner = Class.forName(name + "$Joiner");
      Class<?> subtask = Class.forName(name + "$Subtask");
      MethodHandle awaitAll = lookup.findStatic(joiner, "awaitAll", MethodType.methodType(joiner));
      MethodHandle open = lookup.findStatic(scope, "open", MethodType.methodType(scope, joiner));
      OPEN =
          MethodHandles.foldArguments(open, awaitAll).asType(MethodType.methodType(Object.class));
      FORK =
          lookup
              .findVirtual(scope, "fork", MethodType.methodType(subtask, Callable.class))
              .asType(MethodType.methodType(Object.class, Object.class, Callable.class));
      JOIN =
          lookup
              .findVirtual(scope, "join", MethodType.methodType(Object.class))
              .asType(MethodType.methodType(Object.class, Object.class));
      CLOSE =
          lookup
              .findVirtual(scope, "close", MethodType.methodType(void.class))
              .asType(MethodType.methodType(void.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "Holdfast does not know the StructuredTaskScope of JDK %s; it is known to work on JDK 25."
              .formatted(Runtime.version()),
          e);
    }
  }

  private final Object scope;

  /** Opens a group whose owner is the current thread. */
  TaskGroup() {
    try {
      scope = (Object) OPEN.invokeExact();
    } catch (Throwable t) {
      throw rethrown(t);
    }
  }

  /**
   * Starts a virtual thread in the group.
   *
   * @throws IllegalStateException when the group's structure forbids it
   */
  void fork(Callable<@Nullable Object> task) {
    try {
      Object subtask = (Object) FORK.invokeExact(scope, task);
      assert subtask != null;
    } catch (Throwable t) {
      throw rethrown(t);
    }
  }

  /** Waits for all threads of the group and closes it; an interrupt is kept in the flag. */
  void close() {
    try {
      try {
        Object none = (Object) JOIN.invokeExact(scope);
        assert none == null;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        CLOSE.invokeExact(scope);
      }
    } catch (Throwable t) {
      throw rethrown(t);
    }
  }

  /** {@code StructureViolationException} is part of the preview, so it is known by its name. */
  static boolean isStructureViolation(Throwable t) {
    return t.getClass().getName().equals("java.util.concurrent.StructureViolationException");
  }

  private static RuntimeException rethrown(Throwable t) {
    if (t instanceof Error e) {
      throw e;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
