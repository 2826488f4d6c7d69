/**
 * The C library as Java calls: declarations, the few numbers that jnr-constants lacks, and small
 * typed wrappers. JNR types stay in this package.
 */
@NullMarked
package dev.holdfast.exec.libc;

import org.jspecify.annotations.NullMarked;
