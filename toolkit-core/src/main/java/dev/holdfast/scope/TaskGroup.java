package dev.holdfast.scope;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Containment of threads by {@code StructuredTaskScope} (JEP 505), reached through method handles:
 * it is a preview API in JDK 25, and compiled against directly it would run on exactly that JDK and
 * only with {@code --enable-preview}. The group never waits in {@code join} but in {@link #close},
 * so nothing but {@code close} cancels it. Owner's thread only.
 *
 * <p>The task scope compares its owner's {@code ScopedValue} bindings by identity, and the JDK
 * writes "none" in three ways: never bound, no longer bound, and to be looked for, after a
 * StackOverflowError. They are brought into one form when a group opens, and looked for before each
 * fork; else a fork would be refused though no binding has changed.
 */
final class TaskGroup {
  private static final ScopedValue<Boolean> UNUSED = ScopedValue.newInstance();
  private static final ScopedValue.Carrier BINDING = ScopedValue.where(UNUSED, true);

  /**
   * When memory is out, the JDK's thread that resumes virtual threads looks for a handler of this
   * exception, and dies for good if it has to load it then.
   */
  static final Class<?> LOADED_EARLY = RejectedExecutionException.class;

  /** The handles of a record that is constant are constants to the compiler. */
  private record Api(MethodHandle open, MethodHandle fork, MethodHandle join, MethodHandle close) {
    static Api find() throws ReflectiveOperationException {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      String name = "java.util.concurrent.StructuredTaskScope";
      Class<?> scope = Class.forName(name);
      Class<?> joiner = Class.forName(name + "$Joiner");
      Class<?> subtask = Class.forName(name + "$Subtask");
      MethodHandle awaitAll = lookup.findStatic(joiner, "awaitAll", MethodType.methodType(joiner));
      MethodHandle open = lookup.findStatic(scope, "open", MethodType.methodType(scope, joiner));
      return new Api(
          MethodHandles.foldArguments(open, awaitAll).asType(MethodType.methodType(Object.class)),
          lookup
              .findVirtual(scope, "fork", MethodType.methodType(subtask, Callable.class))
              .asType(MethodType.methodType(Object.class, Object.class, Callable.class)),
          lookup
              .findVirtual(scope, "join", MethodType.methodType(Object.class))
              .asType(MethodType.methodType(Object.class, Object.class)),
          lookup
              .findVirtual(scope, "close", MethodType.methodType(void.class))
              .asType(MethodType.methodType(void.class, Object.class)));
    }
  }

  private static final @Nullable Api API;
  private static final @Nullable ReflectiveOperationException MISSING;

  static {
    Api api = null;
    ReflectiveOperationException missing = null;
    try {
      api = Api.find();
    } catch (ReflectiveOperationException e) {
      missing = e;
    }
    API = api;
    MISSING = missing;
  }

  private final Object scope;

  /**
   * Opens a group whose owner is the current thread.
   *
   * @throws IllegalStateException when this JDK has another {@code StructuredTaskScope}
   */
  TaskGroup() {
    MethodHandle open = api().open();
    BINDING.run(TaskGroup::nothing);
    try {
      scope = (Object) open.invokeExact();
    } catch (Throwable t) {
      throw rethrown(t);
    }
  }

  private static void nothing() {}

  private static Api api() {
    if (API == null) {
      throw new IllegalStateException(
          "Holdfast does not know the StructuredTaskScope of JDK %s; it is known to work on JDK 25."
              .formatted(Runtime.version()),
          MISSING);
    }
    return API;
  }

  /**
   * Starts a virtual thread in the group.
   *
   * @throws IllegalStateException when the group's structure forbids it
   */
  void fork(Callable<@Nullable Object> task) {
    boolean bound = UNUSED.isBound();
    assert !bound;
    try {
      Object subtask = (Object) api().fork().invokeExact(scope, task);
      assert subtask != null;
    } catch (Throwable t) {
      throw rethrown(t);
    }
  }

  /** Waits for all threads of the group and closes it; an interrupt is kept in the flag. */
  void close() {
    try {
      try {
        Object none = (Object) api().join().invokeExact(scope);
        assert none == null;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        api().close().invokeExact(scope);
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
