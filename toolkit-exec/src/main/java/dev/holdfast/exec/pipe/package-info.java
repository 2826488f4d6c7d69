/** What becomes of the bytes of a pipe, apart from how they are read and written. Internal. */
@NullMarked
package dev.holdfast.exec.pipe;

import org.jspecify.annotations.NullMarked;
