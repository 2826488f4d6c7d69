package dev.holdfast.exec.spawn;

import dev.holdfast.exec.reactor.ReadEnd;
import dev.holdfast.exec.reactor.WriteEnd;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The pipe ends that callers of one scope may use; what is open when it closes is closed then. */
public final class OpenEnds {
  private final Set<AutoCloseable> ends = ConcurrentHashMap.newKeySet();

  /** None. */
  public OpenEnds() {}

  ReadEnd readEnd() {
    ReadEnd[] self = new ReadEnd[1];
    ReadEnd end = new ReadEnd(() -> forget(self[0]));
    self[0] = end;
    return end;
  }

  WriteEnd writeEnd() {
    WriteEnd[] self = new WriteEnd[1];
    WriteEnd end = new WriteEnd(() -> forget(self[0]));
    self[0] = end;
    return end;
  }

  void add(AutoCloseable end) {
    ends.add(end);
  }

  void forget(AutoCloseable end) {
    ends.remove(end);
  }

  /**
   * Closes all. Any thread.
   *
   * @throws Exception never
   */
  public void closeAll() throws Exception {
    for (AutoCloseable end : ends) {
      end.close();
    }
  }
}
