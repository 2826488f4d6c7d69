/**
 * Scopes that own what is acquired inside them: resources, forked bodies and, through {@code
 * dev.holdfast.exec}, processes.
 *
 * <p>The one idea is the {@linkplain dev.holdfast.scope.Slot slot}: the finalizer of a resource is
 * in force before the resource exists, so a scope that is halted during an acquisition finds either
 * an empty slot or a teardown that is already armed.
 */
@NullMarked
package dev.holdfast.scope;

import org.jspecify.annotations.NullMarked;
