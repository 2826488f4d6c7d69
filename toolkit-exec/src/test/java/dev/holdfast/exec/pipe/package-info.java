@NullMarked
package dev.holdfast.exec.pipe;

import org.jspecify.annotations.NullMarked;
