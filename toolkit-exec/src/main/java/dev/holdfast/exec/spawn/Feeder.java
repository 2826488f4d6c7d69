package dev.holdfast.exec.spawn;

import dev.holdfast.exec.reactor.WriteEnd;
import java.io.InputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies a stream of the caller's to a child, on a virtual thread of its own. */
final class Feeder implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Feeder.class);
  private static final int CHUNK = 16 * 1024;

  /** How long an interrupted feeder has to end before it is named. */
  private static final long PATIENCE_MILLIS = 1_000;

  private final InputStream source;
  private final WriteEnd end;
  private final String label;
  private volatile boolean cut; // reactor's thread

  Feeder(InputStream source, WriteEnd end, String label) {
    this.source = source;
    this.end = end;
    this.label = label;
  }

  @Override
  public void run() {
    try {
      byte[] chunk = new byte[CHUNK];
      int n;
      while ((n = source.read(chunk)) >= 0 && end.write(chunk, 0, n)) {
        if (cut) {
          break;
        }
      }
    } catch (Throwable t) {
      if (!cut) {
        LOG.warn(
            "The source of the stdin of '{}' failed; the child reads the end of it.", label, t);
      }
    } finally {
      end.close();
    }
  }

  /** The child has exited. Reactor's thread. */
  void cut(Thread thread) {
    cut = true;
    end.close();
    if (thread.isAlive()) {
      thread.interrupt();
      Thread.ofVirtual().name("holdfast-stdin-watch").start(() -> nameUnlessEnded(thread));
    }
  }

  private void nameUnlessEnded(Thread thread) {
    try {
      thread.join(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      return;
    }
    if (thread.isAlive()) {
      LOG.warn(
          "The stdin of '{}' comes from a source that does not return from its read though the"
              + " child has exited; thread {} is abandoned in it.",
          label,
          thread);
    }
  }
}
