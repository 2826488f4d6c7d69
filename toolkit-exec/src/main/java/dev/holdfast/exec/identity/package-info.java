/** What {@code /proc} says about processes: single states, one look over all, and identity. */
@NullMarked
package dev.holdfast.exec.identity;

import org.jspecify.annotations.NullMarked;
