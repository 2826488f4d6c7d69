package dev.holdfast.exec.spawn;

import dev.holdfast.exec.reactor.Feed;
import dev.holdfast.exec.reactor.Reactor;
import dev.holdfast.exec.reactor.WriteEnd;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Standard input through a pipe, in three kinds that differ in who writes. */
abstract class InputWire extends Wire {
  /** Closes the child's standard input. */
  void closeStdin() {}

  /** Writes what the pipe takes at once. */
  void writeNow(byte[] content) {}

  /** Written by the reactor, from memory. */
  static final class FromMemory extends InputWire {
    private final Feed feed;

    FromMemory(byte[] content) {
      feed = new Feed(content);
    }

    @Override
    void prepare() {
      Reactor.get().reserve(feed);
      int ours = pipe(false);
      requireTaken(feed.adopt(ours));
    }

    @Override
    void closeStdin() {
      feed.close();
    }

    @Override
    void close() {
      closeChildSide();
      feed.close();
      Reactor.get().release(feed);
    }
  }

  /** Written by a virtual thread, from a stream of the caller's. */
  static final class FromStream extends InputWire {
    private final WriteEnd end = new WriteEnd(() -> {});
    private final Feeder feeder;
    private @Nullable Thread thread; // reactor's thread
    private boolean cut; // reactor's thread

    FromStream(InputStream source, String label) {
      feeder = new Feeder(source, end, label);
    }

    @Override
    void prepare() {
      Reactor.get().reserve(end);
      int ours = pipe(false);
      requireTaken(end.adopt(ours));
    }

    @Override
    void attach() {
      if (thread == null) {
        thread = Thread.ofVirtual().name("holdfast-stdin").start(feeder);
      }
    }

    @Override
    void leaderExited() {
      Thread running = thread;
      if (running != null && !cut) {
        cut = true;
        feeder.cut(running);
      }
    }

    @Override
    void closeStdin() {
      leaderExited();
    }

    @Override
    void close() {
      closeChildSide();
      leaderExited();
      end.close();
    }
  }

  /** Written by the caller. */
  static final class FromCaller extends InputWire {
    private final OpenEnds openEnds;
    private final WriteEnd end;

    FromCaller(OpenEnds openEnds) {
      this.openEnds = openEnds;
      this.end = openEnds.writeEnd();
    }

    WriteEnd end() {
      return end;
    }

    @Override
    void prepare() {
      Reactor.get().reserve(end);
      int ours = pipe(false);
      requireTaken(end.adopt(ours));
      openEnds.add(end);
    }

    @Override
    void closeStdin() {
      end.close();
    }

    @Override
    void writeNow(byte[] content) {
      end.writeNow(content);
    }

    @Override
    void close() {
      closeChildSide();
      end.close();
    }
  }
}
