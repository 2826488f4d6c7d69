@NullMarked
package dev.holdfast.exec.identity;

import org.jspecify.annotations.NullMarked;
