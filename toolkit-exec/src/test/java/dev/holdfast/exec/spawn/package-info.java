@NullMarked
package dev.holdfast.exec.spawn;

import org.jspecify.annotations.NullMarked;
