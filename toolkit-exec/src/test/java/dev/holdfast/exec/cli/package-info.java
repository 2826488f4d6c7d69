@NullMarked
package dev.holdfast.exec.cli;

import org.jspecify.annotations.NullMarked;
