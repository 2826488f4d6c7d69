/** The command line, {@code ./holdfast}. Internal: nothing here is for other code. */
@NullMarked
package dev.holdfast.exec.cli;

import org.jspecify.annotations.NullMarked;
