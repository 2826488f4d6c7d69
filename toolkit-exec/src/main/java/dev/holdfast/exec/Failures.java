package dev.holdfast.exec;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.UnsupportedPlatformException;
import dev.holdfast.exec.spawn.LaunchFailure;
import dev.holdfast.scope.ScopeHaltedException;
import org.jspecify.annotations.Nullable;

/** Turns what the machinery throws into the public exception. */
final class Failures {
  private Failures() {}

  static ExecException of(LaunchFailure failure, Command command) {
    return new ExecException(
        ExecException.Reason.valueOf(failure.reason().name()),
        message(failure),
        failure.errno(),
        command,
        null,
        failure);
  }

  static ExecException of(ErrnoException failure, Command command) {
    return new ExecException(
        ExecException.Reason.RESOURCES,
        "%s could not be started: %s refused with %s. Descriptors, processes or memory have run out; see the limits of this user."
            .formatted(command, failure.call(), Errno.describe(failure.errno())),
        failure.errno(),
        command,
        null,
        failure);
  }

  static ExecException of(UnsupportedPlatformException failure, @Nullable Command command) {
    return new ExecException(
        ExecException.Reason.UNSUPPORTED, message(failure), 0, command, null, failure);
  }

  static ExecException of(ScopeHaltedException failure, Command command) {
    return new ExecException(
        ExecException.Reason.SCOPE_HALTED,
        "%s was not started, or is being ended: %s".formatted(command, message(failure)),
        0,
        command,
        null,
        failure);
  }

  static ExecException of(ScopeHaltedException failure) {
    return new ExecException(
        ExecException.Reason.SCOPE_HALTED, message(failure), 0, null, null, failure);
  }

  private static String message(Throwable failure) {
    return String.valueOf(failure.getMessage());
  }
}
