package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.CookieReader;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.SpawnCall;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The native side of one child: the group that is armed before its first member exists, the wire,
 * and the call that makes the child. Prepared and run by the spawning thread, then the reactor's.
 */
final class Launch {
  private final SpawnCall call;
  private final @Nullable Placeholder placeholder;
  private final @Nullable Tripwire wire;
  private volatile long startedNanos; // spawning thread

  private Launch(SpawnCall call, @Nullable Placeholder placeholder, @Nullable Tripwire wire) {
    this.call = call;
    this.placeholder = placeholder;
    this.wire = wire;
  }

  /** Makes all that can be refused, so that nothing of it can be once the slot is armed. */
  static Launch prepare(SpawnPlan plan, Wires wires, String cookie) {
    Tripwire wire = null;
    Placeholder placeholder = null;
    SpawnCall call = null;
    boolean prepared = false;
    try {
      boolean wired = TripwireProbe.works();
      placeholder = wired || !Signals.hasGroupSignals() ? made(Placeholder.begin()) : null;
      wire = wired ? Tripwire.prepare() : null;
      call = call(plan, wires, cookie, wire);
      if (placeholder != null) {
        placeholder = made(placeholder.lead());
      }
      if (placeholder != null) {
        call.setGroup(placeholder.pid());
        if (wire != null) {
          require("fcntl(F_SETOWN_EX)", wire.armGroup(placeholder.pid()));
        }
      }
      Launch launch = new Launch(call, placeholder, wire);
      prepared = true;
      return launch;
    } finally {
      if (!prepared) {
        close(call, placeholder, wire);
      }
    }
  }

  /** Null where the kernel or a sandbox refuses it: then the group is armed after the spawn. */
  private static @Nullable Placeholder made(PlaceholderAttempt attempt) {
    return switch (attempt) {
      case Placeholder made -> made;
      case Placeholder.Refused refused -> {
        if (refused.isShortage()) {
          throw new ErrnoException(refused.call(), refused.errno());
        }
        yield null;
      }
    };
  }

  private static SpawnCall call(
      SpawnPlan plan, Wires wires, String cookie, @Nullable Tripwire wire) {
    List<byte[]> envp = new ArrayList<>(plan.envp().size() + 1);
    envp.addAll(plan.envp());
    envp.add(
        (CookieReader.VARIABLE + "=" + plan.cookieChain() + cookie)
            .getBytes(StandardCharsets.US_ASCII));
    SpawnCall.Builder builder = SpawnCall.builder(plan.path(), plan.argv(), envp);
    for (int stream = 0; stream < 3; stream++) {
      builder.dup2(wires.childFd(stream), stream);
    }
    if (wire != null) {
      builder.wire(wire.childEnd(), Tripwire.CHILD_FD);
    }
    byte[] directory = plan.directory();
    if (directory != null) {
      builder.directory(directory);
    }
    return builder.build();
  }

  private static void require(String what, int rc) {
    if (rc < 0) {
      throw new ErrnoException(what, -rc);
    }
  }

  /** Makes the child: 0 or an errno. Nothing but the call. */
  int run() {
    startedNanos = System.nanoTime();
    return call.run();
  }

  /** The child's pid; 0 while there is none. */
  int pid() {
    return call.pid();
  }

  /**
   * Arms what can only be armed once the pid is known. Before anybody may wait for the child: its
   * number is surely its own.
   */
  void armLeader() {
    if (wire != null) {
      int pid = call.pid();
      if (placeholder == null) {
        wire.armGroup(pid);
      }
      wire.armLeader(pid);
    }
  }

  int group() {
    return placeholder == null ? call.pid() : placeholder.pid();
  }

  int groupPidfd(int leaderPidfd) {
    return placeholder == null ? leaderPidfd : placeholder.pidfd();
  }

  /** Whether the group's number stays taken until {@link #close}. */
  boolean isGroupPinned() {
    return placeholder != null && !Signals.hasGroupSignals();
  }

  /**
   * The child is in its group: the call has done its work, and so has the placeholder, unless it
   * pins the number.
   */
  void adopted() {
    call.close();
    if (placeholder != null && !isGroupPinned()) {
      placeholder.takePidfd();
      placeholder.reap();
    }
  }

  long startedNanos() {
    return startedNanos;
  }

  void close() {
    close(call, placeholder, wire);
  }

  private static void close(
      @Nullable SpawnCall call, @Nullable Placeholder placeholder, @Nullable Tripwire wire) {
    if (placeholder != null) {
      placeholder.reap();
    }
    if (wire != null) {
      wire.disarmAndClose();
    }
    if (call != null) {
      call.close();
    }
  }
}
