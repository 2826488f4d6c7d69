package dev.holdfast.exec.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.exec.libc.Child;
import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.ErrnoException;
import dev.holdfast.exec.libc.FaultyLibc;
import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.OpenFds;
import dev.holdfast.exec.libc.Signals;
import dev.holdfast.exec.libc.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProcessTableTest {
  private static final int OWN_PID = (int) ProcessHandle.current().pid();

  private static ProcStat stat(int pid, int ppid, int pgrp) {
    return new ProcStat(pid, 'S', ppid, pgrp, pgrp, 1, 1);
  }

  private static List<Integer> pids(List<ProcStat> stats) {
    return stats.stream().map(ProcStat::pid).toList();
  }

  @Test
  void table_ofATree_answersByPidParentAndGroup() {
    var table =
        ProcessTable.of(
            List.of(stat(30, 20, 7), stat(20, 10, 7), stat(21, 10, 8), stat(10, 1, 7)), false);
    assertThat(pids(table.all())).containsExactly(10, 20, 21, 30);
    assertThat(table.get(21)).isEqualTo(stat(21, 10, 8));
    assertThat(table.get(22)).isNull();
    assertThat(table.get(99)).isNull();
    assertThat(pids(table.children(10))).containsExactlyInAnyOrder(20, 21);
    assertThat(table.children(30)).isEmpty();
    assertThat(pids(table.descendants(Set.of(10)))).containsExactlyInAnyOrder(20, 21, 30);
    assertThat(pids(table.descendants(List.of(20, 21)))).containsExactly(30);
    assertThat(pids(table.descendants(List.of(10, 20)))).containsExactlyInAnyOrder(20, 21, 30);
    assertThat(pids(table.membersOfGroups(group -> group == 7))).containsExactly(10, 20, 30);
  }

  @Test
  void table_ofACycle_isWalkedOnce() {
    var table = ProcessTable.of(List.of(stat(10, 20, 7), stat(20, 10, 7)), false);
    assertThat(pids(table.descendants(Set.of(10)))).containsExactlyInAnyOrder(10, 20);
  }

  @Test
  void look_realTree_isFound() {
    var pipe = Fds.pipe();
    var leader =
        Child.spawn(
            pipe.writeEnd(),
            0,
            builder -> builder,
            "/bin/sh",
            "-c",
            "sh -c 'echo; sleep 300; :' & wait");
    Fds.close(pipe.writeEnd());
    Fds.read(pipe.readEnd(), NativeBlock.allocate(8), 0, 1);
    Fds.close(pipe.readEnd());
    var table = ProcessTable.look();
    while (table.descendants(Set.of(leader)).size() < 2) {
      table = ProcessTable.look();
    }
    assertThat(pids(table.children(OWN_PID))).contains(leader);
    assertThat(table.membersOfGroups(group -> group == leader)).hasSize(3);
    assertThat(table.get(OWN_PID)).isNotNull();

    Signals.killGroup(leader, Signals.KILL);
    Waits.reapBlocking(leader);
  }

  @Test
  void look_descriptorsRunOut_isAnErrorAndNotAnEmptyTable() {
    ProcessTable.look();
    var before = OpenFds.list();
    for (var call : List.of("open", "read", "getdents64")) {
      for (var nth = 1; nth < 4; nth += 2) {
        try (var fault = FaultyLibc.errno(call, nth, Errno.EMFILE)) {
          assertThatThrownBy(
                  () -> {
                    ProcessTable.look();
                    ProcessTable.look();
                  })
              .isInstanceOf(ErrnoException.class);
          assertThat(fault.struck()).isTrue();
        }
      }
    }
    assertThat(OpenFds.list()).isEqualTo(before);
  }

  @Test
  void look_accessRefused_saysHidden() {
    assertThat(ProcessTable.look().hidden()).isFalse();
    try (var fault = FaultyLibc.errno("open", 4, Errno.EACCES)) {
      assertThat(ProcessTable.look().hidden()).isTrue();
      assertThat(fault.struck()).isTrue();
    }
  }

  @Test
  void hidden_mountOptionAndCapability_decide() {
    var mount = "22 26 0:20 / /proc rw,nosuid shared:12 - proc proc rw,hidepid=";
    var plain = "22 26 0:20 / /proc rw,nosuid shared:12 - proc proc rw\n";
    var other = "22 26 0:20 / /mnt/proc rw shared:12 - proc proc rw,hidepid=2\n";
    var none = "Name:\tjava\nCapEff:\t0000000000000000\n";
    var all = "Name:\tjava\nCapEff:\t000001ffffffffff\n";
    for (var level : List.of("1", "2", "4", "invisible", "noaccess", "ptraceable")) {
      assertThat(HiddenProc.isHidden(mount + level + "\n", none)).as(level).isTrue();
      assertThat(HiddenProc.isHidden(mount + level + "\n", all)).as(level).isFalse();
    }
    assertThat(HiddenProc.isHidden(mount + "0\n", none)).isFalse();
    assertThat(HiddenProc.isHidden(mount + "off\n", none)).isFalse();
    assertThat(HiddenProc.isHidden(plain, none)).isFalse();
    assertThat(HiddenProc.isHidden(plain + other, none)).isFalse();
    assertThat(HiddenProc.isHidden(mount + "2\n" + plain, none)).isFalse();
  }

  @Test
  void cookie_chain_isTestedByComponent() {
    var environ = "A=1\0HOLDFAST_IDX=a\0HOLDFAST_ID=outer/inner\0XHOLDFAST_ID=z\0".getBytes(UTF_8);
    for (var id : List.of("outer", "inner")) {
      assertThat(CookieReader.anyComponent(environ, environ.length, id::equals)).isTrue();
    }
    for (var id : List.of("out", "outer/inner", "z", "a", "")) {
      assertThat(CookieReader.anyComponent(environ, environ.length, id::equals)).as(id).isFalse();
    }
    var torn = "HOLDFAST_ID=outer".getBytes(UTF_8);
    assertThat(CookieReader.anyComponent(torn, torn.length, "outer"::equals)).isTrue();
    assertThat(CookieReader.anyComponent(torn, 5, "outer"::equals)).isFalse();
  }

  @Test
  void cookie_realProcess_isReadEvenBehindALargeEnvironment() {
    var big = "BIG=" + "x".repeat(100_000);
    var with =
        Child.spawn(
            Fds.devNull(), 0, b -> b, "/usr/bin/env", big, "HOLDFAST_ID=o/i", "sleep", "300");
    var without = Child.spawn(Fds.devNull(), 0, b -> b, "/bin/sleep", "300");
    var empty = Child.spawn(Fds.devNull(), 0, b -> b, "/usr/bin/env", "-i", "sleep", "300");
    var reader = new CookieReader();
    while (reader.carries(with, "i") != CookieReader.Answer.YES
        || reader.carries(empty, "i") == CookieReader.Answer.NO) {
      Thread.onSpinWait();
    }
    assertThat(reader.carries(with, "o")).isEqualTo(CookieReader.Answer.YES);
    assertThat(reader.carries(with, "x")).isEqualTo(CookieReader.Answer.NO);
    assertThat(reader.carries(without, "o")).isEqualTo(CookieReader.Answer.NO);
    assertThat(reader.carries(empty, "o")).isEqualTo(CookieReader.Answer.UNDECIDED);
    try (var fault = FaultyLibc.errno("open", 1, Errno.EACCES)) {
      assertThat(reader.carries(with, "o")).isEqualTo(CookieReader.Answer.UNDECIDED);
      assertThat(fault.struck()).isTrue();
    }
    for (var pid : new ArrayList<>(List.of(with, without, empty))) {
      Signals.kill(pid, Signals.KILL);
      Waits.reapBlocking(pid);
      assertThat(reader.carries(pid, "o")).isEqualTo(CookieReader.Answer.GONE);
    }
  }
}
