package dev.holdfast.exec;

import java.util.Locale;
import java.util.Objects;

/**
 * A Linux signal: its number and its name. Each number has exactly one instance, so signals may be
 * compared with {@code ==}. The numbers are those of {@code signal(7)}; they are the same on x86-64
 * and aarch64.
 */
public final class Signal {
  private static final int MAX = 64;

  /** The first real-time signal that glibc leaves to programs; 32 and 33 are its own. */
  private static final int RT_MIN = 34;

  private static final String[] NAMES = {
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU",
    "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS"
  };

  private static final Signal[] ALL = all();

  /** 1: the terminal hung up; many services reload their configuration. */
  public static final Signal HUP = of(1);

  /** 2: interrupt from the keyboard, Ctrl-C. */
  public static final Signal INT = of(2);

  /** 3: quit from the keyboard, with a core dump; a JVM prints its threads instead. */
  public static final Signal QUIT = of(3);

  /** 4: an illegal instruction. */
  public static final Signal ILL = of(4);

  /** 5: a trace or breakpoint trap. */
  public static final Signal TRAP = of(5);

  /** 6: {@code abort(3)} was called. */
  public static final Signal ABRT = of(6);

  /** 7: a memory access that can't be served, as beyond the end of a mapped file. */
  public static final Signal BUS = of(7);

  /** 8: an arithmetic error. */
  public static final Signal FPE = of(8);

  /** 9: ends the process at once; it can't be caught, blocked or ignored. */
  public static final Signal KILL = of(9);

  /** 10: free for the program's own use. */
  public static final Signal USR1 = of(10);

  /** 11: an invalid memory reference. */
  public static final Signal SEGV = of(11);

  /** 12: free for the program's own use. */
  public static final Signal USR2 = of(12);

  /** 13: a write into a pipe that nobody reads. */
  public static final Signal PIPE = of(13);

  /** 14: the timer of {@code alarm(2)}. */
  public static final Signal ALRM = of(14);

  /** 15: the polite request to end. */
  public static final Signal TERM = of(15);

  /** 17: a child has stopped or ended. */
  public static final Signal CHLD = of(17);

  /** 18: continues a stopped process. */
  public static final Signal CONT = of(18);

  /** 19: stops the process; it can't be caught, blocked or ignored. */
  public static final Signal STOP = of(19);

  /** 20: stop from the keyboard, Ctrl-Z. */
  public static final Signal TSTP = of(20);

  /** 21: a background process read from its terminal. */
  public static final Signal TTIN = of(21);

  /** 22: a background process wrote to its terminal. */
  public static final Signal TTOU = of(22);

  /** 23: urgent data on a socket. */
  public static final Signal URG = of(23);

  /** 24: the limit of processor time is used up. */
  public static final Signal XCPU = of(24);

  /** 25: the limit of file size is exceeded. */
  public static final Signal XFSZ = of(25);

  /** 28: the terminal's window changed its size. */
  public static final Signal WINCH = of(28);

  /** 31: a system call that does not exist, or that seccomp forbids. */
  public static final Signal SYS = of(31);

  private final int number;
  private final String name;

  private Signal(int number, String name) {
    this.number = number;
    this.name = name;
  }

  /**
   * Returns the signal of a number.
   *
   * @param number 1 to 64; 34 to 64 are the real-time signals
   * @return the one instance of this number
   * @throws IllegalArgumentException if there is no such signal
   */
  public static Signal of(int number) {
    if (number < 1 || number > MAX) {
      throw new IllegalArgumentException(
          "There is no signal " + number + "; Linux has 1 to 64, see signal(7).");
    }
    return ALL[number - 1];
  }

  /**
   * Returns the signal of a name, in upper or lower case, with or without {@code SIG}.
   *
   * @param name such as {@code TERM}, {@code SIGTERM}, {@code RTMIN+3} or {@code RTMAX-1}
   * @return the one instance of this signal
   * @throws IllegalArgumentException if there is no such signal
   */
  public static Signal of(String name) {
    String wanted = canonical(Objects.requireNonNull(name, "name"));
    for (Signal signal : ALL) {
      if (signal.name.equals(wanted)) {
        return signal;
      }
    }
    throw new IllegalArgumentException(
        "There is no signal "
            + ShellQuote.quote(name)
            + "; take a name from signal(7), such as TERM or SIGTERM.");
  }

  /**
   * Returns the number of this signal.
   *
   * @return 1 to 64
   */
  public int number() {
    return number;
  }

  /**
   * Returns the name of this signal without its prefix.
   *
   * @return such as {@code TERM} or {@code RTMIN+3}
   */
  public String name() {
    return name;
  }

  /** Returns the name of this signal, such as {@code SIGTERM} or {@code SIGRTMIN+3}. */
  @Override
  public String toString() {
    return "SIG" + name;
  }

  private static Signal[] all() {
    Signal[] all = new Signal[MAX];
    for (int number = 1; number <= MAX; number++) {
      all[number - 1] = new Signal(number, nameOf(number));
    }
    return all;
  }

  private static String nameOf(int number) {
    if (number <= NAMES.length) {
      return NAMES[number - 1];
    }
    if (number < RT_MIN) {
      return Integer.toString(number);
    }
    if (number == RT_MIN) {
      return "RTMIN";
    }
    return number == MAX ? "RTMAX" : "RTMIN+" + (number - RT_MIN);
  }

  private static String canonical(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    String bare = upper.startsWith("SIG") ? upper.substring(3) : upper;
    return switch (bare) {
      case "IOT" -> "ABRT";
      case "CLD" -> "CHLD";
      case "POLL" -> "IO";
      case "UNUSED" -> "SYS";
      default -> bare.matches("RT(MAX-|MIN\\+)[0-9]{1,2}") ? realTime(bare) : bare;
    };
  }

  private static String realTime(String bare) {
    int offset = Integer.parseInt(bare.substring("RTMAX-".length()));
    int number = bare.startsWith("RTMAX") ? MAX - offset : RT_MIN + offset;
    return number < RT_MIN || number > MAX ? bare : nameOf(number);
  }
}
