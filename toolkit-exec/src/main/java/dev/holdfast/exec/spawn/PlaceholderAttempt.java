package dev.holdfast.exec.spawn;

/** What {@link Placeholder#create} came to. */
public sealed interface PlaceholderAttempt permits Placeholder, Placeholder.Refused {}
