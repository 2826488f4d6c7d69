package dev.holdfast.exec.spawn;

import dev.holdfast.exec.identity.CookieReader;
import dev.holdfast.exec.identity.ProcStat;
import dev.holdfast.exec.identity.ProcessTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks over {@code /proc}, on a platform daemon thread of its own: one look answers every question
 * that waits for one. A look costs some milliseconds for a thousand processes, which is why it is
 * neither the reactor's work nor made for each child.
 */
final class Scanner {
  private static final Logger LOG = LoggerFactory.getLogger(Scanner.class);
  private static final long PAUSE_MILLIS = 1;
  private static final long PAUSE_AFTER_FAILURE_MILLIS = 10;
  private static final int KTHREADD = 2;

  private static final class Holder {
    static final Scanner SCANNER = new Scanner();
  }

  private final int self = Math.toIntExact(ProcessHandle.current().pid());
  private final CookieReader cookies = new CookieReader(); // scanner's thread
  private @Nullable Scan waiting; // guarded by this
  private long failures; // scanner's thread

  private Scanner() {
    Thread.ofPlatform().daemon().name("holdfast-scanner").start(this::loop);
  }

  static Scanner get() {
    return Holder.SCANNER;
  }

  /** Asks. Allocates nothing; a question that waits already must not be asked again. */
  synchronized void ask(Scan scan) {
    scan.next = waiting;
    waiting = scan;
    notifyAll();
  }

  private void loop() {
    while (true) {
      Scan taken = null;
      try {
        taken = take();
        answer(taken);
        taken = null;
        Thread.sleep(PAUSE_MILLIS);
      } catch (Throwable t) {
        putBack(taken);
        note(t);
        pauseAfterFailure();
      }
    }
  }

  private synchronized Scan take() throws InterruptedException {
    Scan taken;
    while ((taken = waiting) == null) {
      wait();
    }
    waiting = null;
    return taken;
  }

  /** Questions that have not been answered for an Error are kept. */
  private synchronized void putBack(@Nullable Scan taken) {
    for (Scan scan = taken; scan != null; ) {
      Scan next = scan.next;
      scan.next = waiting;
      waiting = scan;
      scan = next;
    }
  }

  private void note(Throwable t) {
    if (failures++ < 10) {
      try {
        LOG.warn("A look over /proc failed and is made again.", t);
      } catch (Throwable lost) {
        failures++;
      }
    }
  }

  /** What is short may come back, but not by itself: nobody else must be kept from the CPU. */
  private static void pauseAfterFailure() {
    try {
      Thread.sleep(PAUSE_AFTER_FAILURE_MILLIS);
    } catch (Throwable t) {
      Thread.onSpinWait();
    }
  }

  private void answer(Scan first) {
    ProcessTable table = ProcessTable.look();
    Map<String, List<ProcStat>> carriers = carriers(first, table);
    List<Scan.Finding> findings = new ArrayList<>();
    for (Scan scan = first; scan != null; scan = scan.next) {
      findings.add(find(scan, table, carriers));
    }
    int i = 0;
    for (Scan scan = first; scan != null; ) {
      Scan next = scan.next; // who is told may ask again at once
      scan.next = null;
      scan.finding = findings.get(i++);
      tell(scan);
      scan = next;
    }
  }

  /** Until it is told: the asker may ask anew from then on, so it can't be put back. */
  private static void tell(Scan scan) {
    while (true) {
      try {
        scan.asker.run();
        return;
      } catch (Throwable t) {
        Thread.onSpinWait();
      }
    }
  }

  /** Who carries which of the cookies that are asked for: every environment is read once. */
  private Map<String, List<ProcStat>> carriers(Scan first, ProcessTable table) {
    Map<String, List<ProcStat>> wanted = new HashMap<>();
    for (Scan scan = first; scan != null; scan = scan.next) {
      if (scan.cookie != null) {
        wanted.put(scan.cookie, new ArrayList<>());
      }
    }
    if (wanted.isEmpty()) {
      return wanted;
    }
    for (ProcStat stat : table.all()) {
      if (stat.isDead() || stat.pid() == self || isKernelThread(stat)) {
        continue;
      }
      cookies.carries(
          stat.pid(),
          id -> {
            List<ProcStat> found = wanted.get(id);
            if (found != null) {
              found.add(stat);
            }
            return false;
          });
    }
    return wanted;
  }

  private static boolean isKernelThread(ProcStat stat) {
    return stat.pgrp() == 0 && (stat.pid() == KTHREADD || stat.ppid() == KTHREADD);
  }

  private Scan.Finding find(Scan scan, ProcessTable table, Map<String, List<ProcStat>> carriers) {
    Map<Integer, ProcStat> members = new LinkedHashMap<>();
    for (ProcStat stat : table.membersOfGroups(scan::hasGroup)) {
      members.put(stat.pid(), stat);
    }
    if (scan.cookie != null) {
      carriers.getOrDefault(scan.cookie, List.of()).forEach(s -> members.put(s.pid(), s));
      addKnown(scan, table, members);
      for (ProcStat stat : table.descendants(List.copyOf(members.keySet()))) {
        members.put(stat.pid(), stat);
      }
    }
    members.remove(self);
    List<ProcStat> live = members.values().stream().filter(s -> !s.isDead()).toList();
    List<ProcStat> zombies =
        members.values().stream()
            .filter(s -> s.isDead() && s.ppid() == self && !isOurs(scan, s))
            .toList();
    return new Scan.Finding(live, zombies, table.hidden());
  }

  /** The leader and the placeholder are reaped by their supervision. */
  private static boolean isOurs(Scan scan, ProcStat stat) {
    return stat.pid() == scan.leader || stat.pid() == scan.group;
  }

  private static void addKnown(Scan scan, ProcessTable table, Map<Integer, ProcStat> members) {
    ProcStat leader = scan.leaderReaped ? null : table.get(scan.leader);
    if (leader != null) {
      members.put(leader.pid(), leader);
    }
    for (ProcStat earlier : scan.known) {
      ProcStat now = table.get(earlier.pid());
      if (now != null && now.startTicks() == earlier.startTicks()) {
        members.put(now.pid(), now);
      }
    }
  }
}
