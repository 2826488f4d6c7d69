package dev.holdfast.testkit;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a fresh scope, closes it after the test, and takes the census then.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final ScopeExtension<ExecScope> SCOPES =
 *     ScopeExtension.of(Exec::scope).warmingUp(scope -> scope.run(Command.of("true")));
 *
 * @Test
 * void child_scopeCloses_isGone(ExecScope scope, Marker marker) { ... }
 * }</pre>
 *
 * <p>Parameters of test and {@code @BeforeEach} methods: the scope, by its type; a {@link Marker}
 * for the processes; a {@link Census} by that marker. The test fails if, once the scope is closed,
 * a process carries the marker, or if this JVM holds more zombies, descriptors or platform threads
 * than before. What is logged to {@code System.err} is printed only for tests that fail. Scope and
 * test run on the same thread, so tests with an own thread ({@code @Timeout} of mode
 * SEPARATE_THREAD) can't use it; nor can tests that run in parallel in one JVM.
 *
 * @param <S> the type of the scope
 */
public final class ScopeExtension<S extends AutoCloseable>
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

  private final Supplier<S> scopes;
  private final WarmUp<S> warmUp;
  private final String[] allowedThreads;
  private final AtomicBoolean warm = new AtomicBoolean();

  /**
   * What is done once, before the first look, with a scope of its own.
   *
   * @param <S> the type of the scope
   */
  @FunctionalInterface
  public interface WarmUp<S> {
    /**
     * Makes the library start what lives as long as the JVM.
     *
     * @param scope a scope that is closed afterwards
     * @throws Exception fails the first test
     */
    void accept(S scope) throws Exception;
  }

  private ScopeExtension(Supplier<S> scopes, WarmUp<S> warmUp, String... allowedThreads) {
    this.scopes = Objects.requireNonNull(scopes, "scopes");
    this.warmUp = Objects.requireNonNull(warmUp, "warmUp");
    this.allowedThreads = allowedThreads.clone();
  }

  /**
   * An extension for scopes of one kind.
   *
   * @param scopes opens a scope, on the thread of the test
   * @param <S> the type of the scope
   * @return the extension, for a static field with {@code @RegisterExtension}
   */
  public static <S extends AutoCloseable> ScopeExtension<S> of(Supplier<S> scopes) {
    return new ScopeExtension<>(scopes, scope -> {});
  }

  /**
   * The same extension, which first does something once with a scope of its own. Without it a scope
   * is merely opened and closed.
   *
   * @param first what to do
   * @return the extension
   */
  public ScopeExtension<S> warmingUp(WarmUp<S> first) {
    return new ScopeExtension<>(scopes, first, allowedThreads);
  }

  /**
   * The same extension, which lets some threads live on after the scope.
   *
   * @param prefixes how their names begin
   * @return the extension
   */
  public ScopeExtension<S> allowingThreads(String... prefixes) {
    return new ScopeExtension<>(scopes, warmUp, prefixes);
  }

  @Override
  @SuppressWarnings("try") // that a close may be interrupted is the test's own affair
  public void beforeEach(ExtensionContext context) throws Exception {
    if (warm.compareAndSet(false, true)) {
      try (S scope = scopes.get()) {
        warmUp.accept(scope);
      }
    }
    TestSession.begin(context, allowedThreads, scopes::get);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    TestSession.end(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return SessionParameters.supports(parameter, context);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return SessionParameters.resolve(parameter, context);
  }
}
