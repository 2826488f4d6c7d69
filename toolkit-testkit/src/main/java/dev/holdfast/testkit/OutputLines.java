package dev.holdfast.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The lines of one stream of a victim, read by a thread of its own and kept. */
final class OutputLines {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<String> lines = new ArrayList<>(); // guarded by lock
  private int seen; // guarded by lock: lines before it have been awaited
  private boolean ended; // guarded by lock
  private final Thread reader;

  /** The listener runs on the reading thread, before anyone else learns of the line. */
  OutputLines(InputStream stream, String name, Consumer<String> listener) {
    reader = Thread.ofPlatform().daemon().name(name).start(() -> read(stream, listener));
  }

  List<String> all() {
    lock.lock();
    try {
      return List.copyOf(lines);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next line that begins with the prefix; empty when the time is up or the stream has ended.
   */
  Optional<String> await(String prefix, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    return Uninterrupted.keepFlag(() -> awaitUntil(prefix, end));
  }

  /** Waits for the end of the stream, which a survivor that holds it may put off. */
  void awaitEnd(Duration limit) {
    Uninterrupted.join(reader, limit);
  }

  private Optional<String> awaitUntil(String prefix, long end) throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        while (seen < lines.size()) {
          var line = lines.get(seen++);
          if (line.startsWith(prefix)) {
            return Optional.of(line);
          }
        }
        if (ended || changed.awaitNanos(end - System.nanoTime()) <= 0) {
          return Optional.empty();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void read(InputStream stream, Consumer<String> listener) {
    try (var reader = new BufferedReader(new InputStreamReader(stream, UTF_8))) {
      for (var line = reader.readLine(); line != null; line = reader.readLine()) {
        listener.accept(line);
        add(line);
      }
    } catch (IOException e) {
      add("[the stream broke: " + e.getMessage() + "]");
    } finally {
      end();
    }
  }

  private void add(String line) {
    lock.lock();
    try {
      lines.add(line);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
