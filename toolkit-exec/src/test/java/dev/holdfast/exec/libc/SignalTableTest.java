package dev.holdfast.exec.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** R10: whatever takes a pid or a group refuses what could reach ourselves or everybody. */
class SignalTableTest {
  private static final NativeBlock BLOCK = NativeBlock.allocate(Waits.BLOCK_BYTES);

  private static Fds.Pipe pipe;

  @BeforeAll
  static void open() {
    pipe = Fds.pipe();
    Native.symbol("_exit");
  }

  @AfterAll
  static void close() {
    Fds.close(pipe.readEnd());
    Fds.close(pipe.writeEnd());
  }

  /** 4294967297 is 1 once its upper half is lost, and so on. */
  private static Map<String, Integer> never() {
    Map<String, Integer> ids = new LinkedHashMap<>();
    ids.put("nobody, our own group for the kernel", 0);
    ids.put("everybody", -1);
    ids.put("init", 1);
    ids.put("a group, negated", -4711);
    ids.put("ourselves", Signals.OWN_PID);
    ids.put("our pid, negated", -Signals.OWN_PID);
    ids.put("the least number, its own negation", Integer.MIN_VALUE);
    ids.put("the least but one", Integer.MIN_VALUE + 1);
    ids.put("1 after an overflow", (int) 4294967297L);
    ids.put("0 after an overflow", (int) 4294967296L);
    ids.put("-1 after an overflow", (int) 4294967295L);
    return ids;
  }

  private static Map<String, IntConsumer> groupCalls() {
    Map<String, IntConsumer> calls = new LinkedHashMap<>();
    calls.put("killGroup", id -> Signals.killGroup(id, Signals.PROBE));
    calls.put("killGroup KILL", id -> Signals.killGroup(id, Signals.KILL));
    calls.put("reapGroupZombies", Waits::reapGroupZombies);
    calls.put("requireForeignGroup", Signals::requireForeignGroup);
    calls.put("ownedByGroup", id -> AsyncSignal.ownedByGroup(pipe.readEnd(), id, BLOCK));
    return calls;
  }

  private static Map<String, IntConsumer> processCalls() {
    Map<String, IntConsumer> calls = new LinkedHashMap<>();
    calls.put("kill", id -> Signals.kill(id, Signals.PROBE));
    calls.put("kill KILL", id -> Signals.kill(id, Signals.KILL));
    calls.put("reap", id -> Waits.reap(id, BLOCK));
    calls.put("reapBlocking", Waits::reapBlocking);
    calls.put("requireForeignPid", Signals::requireForeignPid);
    calls.put("makeGroupLeader", CloneCall::makeGroupLeader);
    return calls;
  }

  static Stream<Arguments> table() {
    Stream.Builder<Arguments> rows = Stream.builder();
    groupCalls()
        .forEach(
            (call, action) -> {
              never().forEach((what, id) -> rows.add(Arguments.of(call, what, id, action)));
              int ownGroup = Native.libc().getpgid(0);
              rows.add(Arguments.of(call, "our own group", ownGroup, action));
            });
    processCalls()
        .forEach(
            (call, action) ->
                never().forEach((what, id) -> rows.add(Arguments.of(call, what, id, action))));
    return rows.build();
  }

  @ParameterizedTest(name = "{0}: {1} ({2})")
  @MethodSource("table")
  void r10_idThatIsNobodyElses_isRefusedBeforeTheKernelSeesIt(
      String call, String what, int id, IntConsumer action) {
    try (var watched = SignalTargets.swallow()) {
      assertThatIllegalArgumentException()
          .as("%s of %s", call, what)
          .isThrownBy(() -> action.accept(id))
          .withMessageContaining(Integer.toString(id));
      assertThat(watched.calls()).isEmpty();
    }
  }

  /** That the watch sees what the table is about. */
  @Test
  void r10_idOfAnotherGroup_reachesTheKernel() {
    int nobody = 4_000_001;
    try (var watched = SignalTargets.swallow()) {
      groupCalls().values().forEach(call -> call.accept(nobody));
      processCalls().values().forEach(call -> call.accept(nobody));
      assertThat(watched.calls())
          .containsExactly(
              "kill -4000001",
              "kill -4000001",
              "waitpid -4000001",
              "fcntl 15",
              "kill 4000001",
              "kill 4000001",
              "wait4 4000001",
              "waitpid 4000001",
              "setpgid 4000001");
    }
  }
}
