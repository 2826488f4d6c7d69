/**
 * Processes that live in scopes: what to start ({@link dev.holdfast.exec.Command}), how it is fed
 * and read ({@link dev.holdfast.exec.Input}, {@link dev.holdfast.exec.Output}), how it is ended
 * ({@link dev.holdfast.exec.StopPolicy}) and what came of it ({@link dev.holdfast.exec.Result}).
 *
 * <p>The nouns of this package are immutable values that any thread may share. Passing null where
 * null is not explicitly allowed gives a {@link java.lang.NullPointerException} that names the
 * parameter.
 */
@NullMarked
package dev.holdfast.exec;

import org.jspecify.annotations.NullMarked;
