@NullMarked
package dev.holdfast.exec.reactor;

import org.jspecify.annotations.NullMarked;
