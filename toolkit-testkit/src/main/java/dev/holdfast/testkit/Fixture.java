package dev.holdfast.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The fixture child: one program that does what its arguments say, in order, and exits with 0 at
 * their end. It starts in about 15 ms; its descendants are forks of it (about 1 ms), so that all of
 * them carry the marker in their arguments, whatever becomes of their environment. It is written in
 * Python, whose ignored SIGPIPE it sets back to the default.
 *
 * <pre>{@code
 * Fixture.command(marker, "ignore", "TERM", "start", "[", "setsid", "up", "forever", "]", "say", "ready", "forever")
 * }</pre>
 *
 * <table>
 * <caption>Commands; a block is {@code [ command... ]}, each word an argument of its own; a signal is
 * a name without SIG, or a number; times are seconds</caption>
 * <tr><th>command</th><th>what it does</th></tr>
 * <tr><td>{@code spawn block}</td><td>a child that runs the block; does not wait</td></tr>
 * <tr><td>{@code start block}</td><td>the same, and waits until the child says {@code up}, execs or
 * ends</td></tr>
 * <tr><td>{@code doublefork block}, {@code doublestart block}</td><td>the same two with a grandchild
 * whose parent has ended, still in this group and session</td></tr>
 * <tr><td>{@code up}</td><td>tells the starter to go on</td></tr>
 * <tr><td>{@code repeat n block}, {@code wait}</td><td>a loop; waits for all children</td></tr>
 * <tr><td>{@code shell script}, {@code run [ program arg... ]}</td><td>a child that execs sh or the
 * program, marker in the environment</td></tr>
 * <tr><td>{@code exec program arg...}</td><td>becomes the program, marker in the environment</td></tr>
 * <tr><td>{@code cleanenv}</td><td>goes on in a fresh process image with an empty environment</td></tr>
 * <tr><td>{@code ignore SIG}, {@code default SIG}, {@code trap SIG block}, {@code log file [ SIG... ]}
 * </td><td>dispositions; {@code log} appends "SIG milliseconds" (monotonic) for each one
 * received</td></tr>
 * <tr><td>{@code setsid}, {@code setpgid}</td><td>own session (a group's leader goes on in a child and
 * ends as it ends); own group</td></tr>
 * <tr><td>{@code sleep s}, {@code forever}, {@code busy s}, {@code stop}</td><td>sleeps; sleeps ten
 * minutes; spins; stops itself (SIGSTOP)</td></tr>
 * <tr><td>{@code exit n}, {@code die SIG}</td><td>ends with a status or by a signal</td></tr>
 * <tr><td>{@code endleader s n}</td><td>the main thread calls pthread_exit; another ends the process
 * after s seconds with status n</td></tr>
 * <tr><td>{@code listen port}</td><td>listens on 127.0.0.1 (0: any port) and prints "listening
 * PORT"</td></tr>
 * <tr><td>{@code hold file}</td><td>opens it for reading and writing and keeps it: a FIFO's end</td></tr>
 * <tr><td>{@code close n}, {@code close all}, {@code release}</td><td>closes a descriptor, or all from
 * 3 on; stdio becomes /dev/null</td></tr>
 * <tr><td>{@code say text}, {@code complain text}</td><td>a line on stdout, on stderr</td></tr>
 * <tr><td>{@code write stdout|stderr n}, {@code chatter s}</td><td>n bytes {@code x}; a line each s
 * seconds for ten minutes</td></tr>
 * <tr><td>{@code read}, {@code cat}, {@code readline}</td><td>reads stdin to its end and prints "read
 * N"; copies it; reads one line and prints "line TEXT"</td></tr>
 * <tr><td>{@code touch file}, {@code append file text}</td><td>files</td></tr>
 * <tr><td>{@code show args word...}, {@code show env|cwd|ids|fds}</td><td>prints one per line</td></tr>
 * </table>
 *
 * <p>Where a plain program or shell script is what matters, {@link #program} and {@link #shell} add
 * the marker to it. All methods may be called from any thread.
 */
public final class Fixture {

  private Fixture() {}

  /**
   * The arguments that start a fixture child.
   *
   * @param marker the marker that it and its descendants carry
   * @param commands what it does
   * @return program and arguments, absolute, for any launcher and any environment
   * @throws IllegalStateException if the machine has no python3
   */
  public static List<String> command(Marker marker, String... commands) {
    return command(marker, Arrays.asList(commands));
  }

  /**
   * The arguments that start a fixture child.
   *
   * @param marker the marker that it and its descendants carry
   * @param commands what it does
   * @return program and arguments, absolute, for any launcher and any environment
   * @throws IllegalStateException if the machine has no python3
   */
  public static List<String> command(Marker marker, List<String> commands) {
    Objects.requireNonNull(marker, "marker");
    var argv =
        new ArrayList<>(
            List.of(Python.path(), "-I", "-S", FixtureScript.file().toString(), marker.text()));
    argv.addAll(commands);
    return List.copyOf(argv);
  }

  /**
   * The arguments that run a script in {@code /bin/sh}, the marker in its environment and as its
   * {@code $0}. The script itself is left alone, as its form decides what processes a shell makes.
   *
   * @param marker the marker of the shell and of all that it starts, unless the script clears the
   *     environment
   * @param script the script
   * @param arguments its {@code $1} and so on
   * @return program and arguments
   */
  public static List<String> shell(Marker marker, String script, String... arguments) {
    return shell("/bin/sh", marker, script, arguments);
  }

  /**
   * The same with another shell, as each makes other processes of the same script.
   *
   * @param shell the shell, such as {@code /bin/bash}
   * @param marker the marker of the shell and of all that it starts
   * @param script the script
   * @param arguments its {@code $1} and so on
   * @return program and arguments
   */
  public static List<String> shell(
      String shell, Marker marker, String script, String... arguments) {
    var argv = new ArrayList<>(List.of(shell, "-c", script, marker.text()));
    argv.addAll(Arrays.asList(arguments));
    return program(marker, argv);
  }

  /**
   * The arguments that run a program with the marker in its environment, by way of {@code env},
   * which becomes the program.
   *
   * @param marker the marker
   * @param argv the program and its arguments
   * @return program and arguments
   */
  public static List<String> program(Marker marker, String... argv) {
    return program(marker, Arrays.asList(argv));
  }

  private static List<String> program(Marker marker, List<String> argv) {
    Objects.requireNonNull(marker, "marker");
    var all = new ArrayList<>(List.of("/usr/bin/env", Marker.VARIABLE + "=" + marker.text()));
    all.addAll(argv);
    return List.copyOf(all);
  }
}
