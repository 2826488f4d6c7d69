package dev.holdfast.exec.spawn;

import dev.holdfast.exec.libc.AsyncSignal;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Threads;
import org.jspecify.annotations.Nullable;

/**
 * Tries the kernel's part of a tripwire without a process: a pipe owned by the calling thread sends
 * it a blocked SIGURG when the writer closes. Return codes alone are no proof, sandboxes fake
 * success.
 */
public final class TripwireProbe {
  private static final int PATIENCE_MILLIS = 100;

  private static volatile @Nullable Boolean answer;

  private TripwireProbe() {}

  /**
   * Tells whether tripwires fire here. The first call tries it, in about 50 microseconds.
   *
   * @return whether the signal came
   */
  public static boolean works() {
    var known = answer;
    if (known == null) {
      answer = known = probe();
    }
    return known;
  }

  static boolean probe() {
    var urgent = Threads.setOf(Signals.URG);
    var mask = NativeBlock.allocate(Threads.SET_BYTES);
    if (Threads.block(urgent, mask) < 0) {
      return false;
    }
    try {
      return fires() && Threads.awaitSignal(urgent, PATIENCE_MILLIS) == Signals.URG;
    } catch (ErrnoException e) {
      return false;
    } finally {
      Threads.restore(mask);
    }
  }

  /** Lets a wire of this thread go off; whether the signal came is another question. */
  private static boolean fires() {
    var pipe = Fds.pipe();
    var scratch = NativeBlock.allocate(AsyncSignal.SCRATCH_BYTES);
    try {
      return AsyncSignal.enable(pipe.readEnd(), Signals.URG) == 0
          && AsyncSignal.ownedByThisThread(pipe.readEnd(), scratch) == 0;
    } finally {
      Fds.close(pipe.writeEnd());
      Fds.close(pipe.readEnd());
    }
  }
}
