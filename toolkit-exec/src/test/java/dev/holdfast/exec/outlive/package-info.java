/** Nothing outlives its JVM: victims that own trees, and the tests that end them in every way. */
@NullMarked
package dev.holdfast.exec.outlive;

import org.jspecify.annotations.NullMarked;
