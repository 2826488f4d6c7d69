package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.OwnChildren;
import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Orphans;
import dev.holdfast.exec.libc.Waits;
import dev.holdfast.exec.reactor.Entry;
import dev.holdfast.exec.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in the orphans of this JVM's trees and reaps them when they end. For programs that own
 * their JVM, as the command line does: every child that is not Holdfast's counts as such an orphan,
 * one that {@code ProcessBuilder} has made too.
 *
 * <p>A zombie is reaped when no entry of the reactor claims it and no process was being made while
 * it was looked for: so it is never a leader or a placeholder. Reactor's thread only, which also
 * makes all other reaps of zombies that might be meant, so that no pid is used anew in between.
 */
public final class Subreaper extends Entry {
  private static final Logger LOG = LoggerFactory.getLogger(Subreaper.class);
  private static final long PAUSE_NANOS = 200_000_000;
  private static final long SOON_NANOS = 5_000_000;
  private static final int LOOK = 1;

  private static volatile boolean begun;

  private final NativeBlock block = NativeBlock.allocate(Waits.BLOCK_BYTES);

  private Subreaper() {}

  /**
   * Makes this JVM a child subreaper for the rest of its life. Where the kernel does not list a
   * process's children, nothing is changed: orphans go to init then, as they would without us.
   *
   * @return whether orphans come to this JVM now
   */
  public static boolean begin() {
    if (!OwnChildren.areListed() || Orphans.takeIn() < 0) {
      LOG.debug("Orphans can't be taken in here; they go to init.");
      return false;
    }
    start();
    begun = true;
    return true;
  }

  /** Whether it reaps all orphans, so that nobody else needs to look for them. Any thread. */
  static boolean hasBegun() {
    return begun;
  }

  static Subreaper start() {
    Subreaper subreaper = new Subreaper();
    Reactor.get().reserve(subreaper);
    subreaper.look();
    return subreaper;
  }

  /** Asks for a look now. Any thread. */
  void look() {
    Reactor.get().post(this, LOOK);
  }

  @Override
  protected void advance(int requests, boolean isDue) {
    boolean looked = reapOrphans();
    Reactor.get().at(this, System.nanoTime() + (looked ? PAUSE_NANOS : SOON_NANOS));
  }

  /** False when a process was being made meanwhile. */
  private boolean reapOrphans() {
    long mark = Births.mark();
    if (mark == Births.UNDER_WAY) {
      return false;
    }
    List<Integer> orphans = new ArrayList<>();
    for (int pid : OwnChildren.pids()) {
      if (isZombie(pid) && !Reactor.get().isClaimed(pid)) {
        orphans.add(pid);
      }
    }
    if (Births.mark() != mark) {
      return false;
    }
    for (int pid : orphans) {
      if (Waits.reap(pid, block) == pid) {
        LOG.debug("Reaped the orphan with pid {}.", pid);
      }
    }
    return true;
  }

  private static boolean isZombie(int pid) {
    ProcStat stat = ProcStat.read(pid);
    return stat != null && stat.isDead();
  }
}
