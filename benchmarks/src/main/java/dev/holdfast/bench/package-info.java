/** JMH benchmarks: what a process, and a scope, costs. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.bench;
