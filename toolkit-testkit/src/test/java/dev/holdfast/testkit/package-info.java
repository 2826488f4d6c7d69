/** Tests of the testkit: what is planted is seen, what is broken is told. */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
