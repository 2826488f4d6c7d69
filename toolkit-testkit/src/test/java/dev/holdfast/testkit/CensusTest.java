package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileInputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CensusTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Marker marker = Marker.unique();
  private final Census census = Census.of(marker);

  @AfterEach
  void endAll() {
    census.endAll();
  }

  @Test
  void census_everyKindPlanted_provesThatItSees() {
    assertThatCode(SelfProof::prove).doesNotThrowAnyException();
    assertThatCode(Census::proveThatItSees).doesNotThrowAnyException();
  }

  @Test
  void census_nothingStarted_findsNobody() {
    assertThat(census.live()).isEmpty();
    census.assertNone();
  }

  @Test
  void census_markerInArguments_isFoundWithAllIds() throws Exception {
    try (var planted = Planted.fixture(marker, "say", "ready", "forever")) {
      planted.line();

      assertThat(census.live())
          .singleElement()
          .satisfies(
              entry -> {
                assertThat(entry.pid()).isEqualTo(planted.pid());
                assertThat(entry.ppid()).isEqualTo(ProcessHandle.current().pid());
                assertThat(entry.state()).isIn('R', 'S');
                assertThat(entry.threads()).isOne();
                assertThat(entry.command()).contains("fixture", marker.text(), "forever");
              });
    }
    census.assertNone();
  }

  @Test
  void census_markerInEnvironmentOnly_isFound() throws Exception {
    try (var planted = new Planted(Fixture.program(marker, "sleep", "60"))) {
      assertThat(census.awaitLive(1, LIMIT)).singleElement().hasToString(line(planted.pid()));
    }
  }

  @Test
  void census_survivor_isNamedInTheMessage() throws Exception {
    try (var planted = Planted.fixture(marker, "say", "ready", "forever")) {
      planted.line();
      long pgid = Census.process(planted.pid()).orElseThrow().pgid();

      assertThatThrownBy(census::assertNone)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("1 live processes carry the marker " + marker)
          .hasMessageContaining("pid " + planted.pid() + " ppid " + ProcessHandle.current().pid())
          .hasMessageContaining("pgid " + pgid)
          .hasMessageContaining("state ")
          .hasMessageContaining("forever");
      assertThatThrownBy(() -> census.awaitGone(Duration.ofMillis(50)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("pid " + planted.pid());
      assertThatThrownBy(() -> census.awaitLive(2, Duration.ofMillis(50)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("Expected 2 live processes");
    }
  }

  @Test
  void census_exceptedPid_isNotCounted() throws Exception {
    try (var planted = Planted.fixture(marker, "say", "ready", "forever")) {
      planted.line();

      assertThat(census.except(planted.pid()).live()).isEmpty();
    }
  }

  @Test
  void census_nameWithBlanksAndParentheses_isParsed() throws Exception {
    var rename = "import ctypes; ctypes.CDLL(None).prctl(15, b'a) Z (b c', 0, 0, 0);";
    var script = rename + " print('ready', flush=True); import time; time.sleep(60)";
    try (var planted =
        new Planted(List.of(Python.path(), "-I", "-S", "-c", script, marker.text()))) {
      planted.line();

      assertThat(census.live())
          .singleElement()
          .extracting(ProcessEntry::ppid, ProcessEntry::threads)
          .containsExactly(ProcessHandle.current().pid(), 1);
    }
  }

  @Test
  void census_leaderThatCalledPthreadExit_isStillFound() throws Exception {
    try (var planted = Planted.fixture(marker, "endleader", "30", "0")) {
      assertThat(
              Patience.until(
                  LIMIT,
                  () -> Census.process(planted.pid()).filter(e -> e.state() == 'Z').isPresent()))
          .isTrue();

      assertThat(census.live())
          .singleElement()
          .satisfies(
              entry -> {
                assertThat(entry.state()).isEqualTo('Z');
                assertThat(entry.threads()).isEqualTo(2);
                assertThat(entry.isZombie()).isFalse();
              });
    }
  }

  @Test
  void zombies_nonReapingParent_areCountedByParent() throws Exception {
    try (var parent =
        Planted.fixture(marker, "spawn", "[", "exit", "1", "]", "say", "x", "forever")) {
      parent.line();

      assertThat(Patience.until(LIMIT, () -> Census.zombies(parent.pid()).size() == 1)).isTrue();
      assertThat(Census.zombies(parent.pid())).allMatch(ProcessEntry::isZombie);
      assertThat(census.live())
          .singleElement()
          .extracting(ProcessEntry::pid)
          .isEqualTo(parent.pid());
      assertThat(Census.children(parent.pid())).hasSize(1);
    }
  }

  @Test
  void group_ofTheFixture_holdsItsMembers() throws Exception {
    try (var leader =
        Planted.fixture(
            marker, "setpgid", "start", "[", "up", "forever", "]", "say", "ready", "forever")) {
      leader.line();

      assertThat(Census.group(leader.pid())).hasSize(2);
    }
  }

  @Test
  void process_mereThread_isNobody() throws Exception {
    try (var planted = Planted.fixture(marker, "endleader", "30", "0")) {
      assertThat(
              Patience.until(
                  LIMIT,
                  () -> Census.process(planted.pid()).filter(e -> e.threads() == 2).isPresent()))
          .isTrue();
      var tasks = java.nio.file.Path.of("/proc/" + planted.pid() + "/task").toFile().list();

      assertThat(tasks).hasSize(2);
      assertThat(tasks)
          .filteredOn(tid -> Long.parseLong(tid) != planted.pid())
          .allSatisfy(tid -> assertThat(Census.process(Long.parseLong(tid))).isEmpty());
    }
  }

  @Test
  void descriptors_openFile_isListedWithItsTarget() throws Exception {
    try (var open = new FileInputStream("/dev/zero")) {
      assertThat(open.available()).isNotNegative();
      assertThat(Census.descriptors()).extracting(Descriptor::target).contains("/dev/zero");
    }
    assertThat(Census.descriptors()).extracting(Descriptor::target).doesNotContain("/dev/zero");
  }

  @Test
  void census_interruptedThread_looksAllTheSameAndKeepsTheFlag() {
    Thread.currentThread().interrupt();

    census.awaitGone(LIMIT);

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void endAll_stoppedAndDetachedProcesses_areEnded() throws Exception {
    try (var planted =
        Planted.fixture(
            marker, "doublefork", "[", "setsid", "stop", "forever", "]", "say", "x", "forever")) {
      planted.line();
      census.awaitLive(2, LIMIT);

      assertThat(census.endAll()).hasSize(2);
      census.assertNone();
    }
  }

  private static String line(long pid) {
    return Census.process(pid).orElseThrow().toString();
  }
}
