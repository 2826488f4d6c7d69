/**
 * One platform thread that waits for everything, and the entries it looks after. Internal.
 *
 * <p>Nothing on the reactor's thread blocks or is code of the user.
 */
@NullMarked
package dev.holdfast.exec.reactor;

import org.jspecify.annotations.NullMarked;
