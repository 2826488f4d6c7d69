@NullMarked
package dev.holdfast.exec.libc;

import org.jspecify.annotations.NullMarked;
