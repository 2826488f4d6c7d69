/**
 * What the proofs of Holdfast need: a census of processes, zombies, descriptors and threads,
 * fixture children that behave badly on request, victim JVMs, and injection at halt points and kill
 * points.
 *
 * <p>Everything here witnesses through {@code /proc} alone and shares no code with what it judges,
 * so it only works on Linux. A census is only worth its word when it has been seen to see: {@link
 * dev.holdfast.testkit.Census#proveThatItSees()} plants one of each kind first.
 */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
