/** Soaks: promises kept for long, and under load. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.soak;
