/** How a child is brought up, supervised and ended. Internal. */
@NullMarked
package dev.holdfast.exec.spawn;

import org.jspecify.annotations.NullMarked;
