package dev.holdfast.exec;

import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What to start and how: program, arguments, directory, environment, streams, and when it is ended.
 * Immutable; each method returns a copy that differs in one choice. A command may be kept, shared
 * between threads and started many times, as far as streams and consumers of the caller's bear it.
 *
 * <p>Arguments reach the program verbatim: no shell is involved, so blanks, quotes, {@code *} and
 * {@code $} mean nothing. Only {@link #shell(String)} asks for one. What no process can be given is
 * refused here, before anything is started.
 *
 * <p>A program without a slash is looked up in the PATH that the child gets; a relative path with a
 * slash counts from the child's working directory.
 */
public final class Command {
  private final List<String> words; // the program first
  private final @Nullable Path directory;
  private final EnvChanges environment;
  private final Stdio stdio;
  private final Ending ending;
  private final SortedSet<Integer> successCodes; // never written

  private Command(
      List<String> words,
      @Nullable Path directory,
      EnvChanges environment,
      Stdio stdio,
      Ending ending,
      SortedSet<Integer> successCodes) {
    this.words = words;
    this.directory = directory;
    this.environment = environment;
    this.stdio = stdio;
    this.ending = ending;
    this.successCodes = successCodes;
  }

  /**
   * Returns a command of a program and its arguments.
   *
   * @param program a name to look up in the PATH, or a path
   * @param args the arguments, each passed on as it is
   * @return the command, with all defaults
   * @throws ExecException with {@link ExecException.Reason#BAD_ARGUMENT} if the program is empty,
   *     or if it or an argument contains a NUL or half a surrogate pair
   */
  public static Command of(String program, String... args) {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(args, "args");
    if (program.isEmpty()) {
      throw badArgument("The program of a command is empty; name a program or the path of one.");
    }
    refuseFault("The program", program);
    return new Command(
        appended(List.of(program), args),
        null,
        EnvChanges.NONE,
        Stdio.DEFAULTS,
        Ending.DEFAULTS,
        new TreeSet<>(List.of(0)));
  }

  /**
   * Returns a command of a program and its arguments in one list.
   *
   * @param words the program, then its arguments; copied
   * @return the command, with all defaults
   * @throws ExecException with {@link ExecException.Reason#BAD_ARGUMENT} if the list or the program
   *     is empty, or if an element contains a NUL or half a surrogate pair
   */
  public static Command of(List<String> words) {
    String[] all = Objects.requireNonNull(words, "words").toArray(String[]::new);
    if (all.length == 0) {
      throw badArgument("A command needs a program, but the list of its words is empty.");
    }
    for (int i = 0; i < all.length; i++) {
      Texts.requireElement(all[i], "words", i);
    }
    return of(all[0], Arrays.copyOfRange(all, 1, all.length));
  }

  /**
   * Returns a command that runs a script: {@code /bin/sh -c script}. This is the only way to a
   * shell; never build the script of text from outside, as every character in it has its meaning to
   * the shell. {@link #args(String...)} appends what the script sees as {@code $0}, {@code $1} and
   * so on, which is the safe way to hand it such text.
   *
   * @param script the script, in the language of {@code sh(1p)}
   * @return the command, with all defaults
   * @throws ExecException with {@link ExecException.Reason#BAD_ARGUMENT} if the script contains a
   *     NUL or half a surrogate pair
   */
  public static Command shell(String script) {
    return of("/bin/sh", "-c", Objects.requireNonNull(script, "script"));
  }

  /**
   * Appends arguments.
   *
   * @param args the arguments, each passed on as it is; an empty one is an argument too
   * @return a copy with these arguments after the ones that it has
   * @throws ExecException with {@link ExecException.Reason#BAD_ARGUMENT} if one contains a NUL or
   *     half a surrogate pair
   */
  public Command args(String... args) {
    Objects.requireNonNull(args, "args");
    return new Command(appended(words, args), directory, environment, stdio, ending, successCodes);
  }

  /**
   * Sets the working directory. Default: the one that this JVM was started in.
   *
   * @param directory must exist when the command is started; a relative path counts from this JVM's
   *     working directory
   * @return a copy with this directory
   * @throws IllegalArgumentException if the path is not one of the default file system
   */
  public Command cwd(Path directory) {
    NativePaths.requireNative(directory, "directory");
    return new Command(words, directory, environment, stdio, ending, successCodes);
  }

  /**
   * Sets one variable of the environment, for the child alone. Default: the child gets the JVM's
   * environment, byte by byte, and {@code HOLDFAST_ID}.
   *
   * @param key the name of the variable
   * @param value its value, which never appears in a log, a message or {@link #toString()}
   * @return a copy with this variable
   * @throws ExecException with {@link ExecException.Reason#BAD_ENVIRONMENT} if the key is empty,
   *     contains {@code =} or is {@code HOLDFAST_ID}, or if either contains a NUL or half a
   *     surrogate pair
   */
  public Command env(String key, String value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    return withEnvironment(environment.with(key, value));
  }

  /**
   * Sets several variables of the environment, each as {@link #env(String, String)} does.
   *
   * @param variables values by key; copied
   * @return a copy with these variables
   * @throws ExecException with {@link ExecException.Reason#BAD_ENVIRONMENT} if one is refused
   */
  public Command env(Map<String, String> variables) {
    Objects.requireNonNull(variables, "variables");
    EnvChanges changed = environment;
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      String key = Objects.requireNonNull(variable.getKey(), "a key of variables");
      String value = Objects.requireNonNull(variable.getValue(), () -> "variables[" + key + "]");
      changed = changed.with(key, value);
    }
    return withEnvironment(changed);
  }

  /**
   * Takes variables out of the environment, whether inherited or set before.
   *
   * @param keys the names of the variables; one that is not there is no error
   * @return a copy without these variables
   * @throws ExecException with {@link ExecException.Reason#BAD_ENVIRONMENT} if a key is empty,
   *     contains {@code =}, a NUL or half a surrogate pair, or is {@code HOLDFAST_ID}
   */
  public Command unsetEnv(String... keys) {
    Objects.requireNonNull(keys, "keys");
    EnvChanges changed = environment;
    for (int i = 0; i < keys.length; i++) {
      changed = changed.without(Texts.requireElement(keys[i], "keys", i));
    }
    return withEnvironment(changed);
  }

  /**
   * Starts from an empty environment: nothing is inherited, and what was set before is forgotten.
   * {@code HOLDFAST_ID} is kept, as the tree is found by it. Without a PATH, a bare name is looked
   * up in {@code /usr/local/bin}, {@code /usr/bin} and {@code /bin} or whatever the system's
   * default is; see {@code confstr(3)}.
   *
   * @return a copy with an empty environment, to be filled by {@link #env(String, String)}
   */
  public Command clearEnv() {
    return withEnvironment(EnvChanges.cleared());
  }

  /**
   * Chooses what the child reads. Default: {@link Input#empty()}.
   *
   * @param input the choice
   * @return a copy with this input
   */
  public Command stdin(Input input) {
    return withStdio(stdio.withStdin(Objects.requireNonNull(input, "input")));
  }

  /**
   * Chooses where the child's standard output goes. Default: {@link Output#capture()} under {@code
   * run}, {@link Output#tail()} for a spawned child.
   *
   * @param output the choice
   * @return a copy with this output
   */
  public Command stdout(Output output) {
    return withStdio(stdio.withStdout(Objects.requireNonNull(output, "output")));
  }

  /**
   * Chooses where the child's standard error goes; takes back {@link #mergeStderr()}. Default:
   * {@link Output#capture()} under {@code run}, {@link Output#tail()} for a spawned child.
   *
   * @param output the choice
   * @return a copy with this output
   */
  public Command stderr(Output output) {
    return withStdio(stdio.withStderr(Objects.requireNonNull(output, "output")));
  }

  /**
   * Sends standard error wherever standard output goes, in the order of writing, as {@code 2>&1}
   * does; takes back {@link #stderr(Output)}.
   *
   * @return a copy with both streams in one
   */
  public Command mergeStderr() {
    return withStdio(stdio.withMergedStderr());
  }

  /**
   * Sets how the bytes of all three streams become text, and the reverse. Arguments and variables
   * are UTF-8 whatever is chosen here. Default: UTF-8.
   *
   * @param charset the charset of the child's streams
   * @return a copy with this charset
   */
  public Command charset(Charset charset) {
    return withStdio(stdio.withCharset(Objects.requireNonNull(charset, "charset")));
  }

  /**
   * Sets how long the child may run; then its tree is ended by its {@link #stop(StopPolicy) stop
   * policy}, and the result's cause is {@code TIMEOUT}. Default: no limit.
   *
   * @param timeout counted from the start of the process on the monotonic clock, more than zero
   * @return a copy with this limit
   * @throws IllegalArgumentException if the timeout is zero or negative
   */
  public Command timeout(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException(
          "A timeout is longer than zero, but this is "
              + timeout
              + "; leave it out for a command without a limit.");
    }
    return withEnding(ending.withTimeout(timeout));
  }

  /**
   * Sets how the child's tree is ended. Default: what the scope says, else {@link
   * StopPolicy#standard()}.
   *
   * @param stop the policy
   * @return a copy with this policy
   */
  public Command stop(StopPolicy stop) {
    return withEnding(ending.withStop(Objects.requireNonNull(stop, "stop")));
  }

  /**
   * Sets how far the ending of the child's tree reaches. Default: what the scope says, else {@link
   * Containment#TREE} for a spawned child and {@link Containment#GROUP} for {@code run}.
   *
   * @param containment the reach
   * @return a copy with this containment
   */
  public Command containment(Containment containment) {
    return withEnding(ending.withContainment(Objects.requireNonNull(containment, "containment")));
  }

  /**
   * Sets which exit codes count as success, in place of those that did. Default: 0 alone.
   *
   * @param codes one code or more, each within 0 to 255
   * @return a copy with these codes
   * @throws IllegalArgumentException if there is none, or one outside 0 to 255
   */
  public Command exitCodes(int... codes) {
    SortedSet<Integer> chosen = new TreeSet<>();
    for (int code : Objects.requireNonNull(codes, "codes")) {
      if (code < 0 || code > 255) {
        throw new IllegalArgumentException("An exit code is within 0 to 255, not " + code + ".");
      }
      chosen.add(code);
    }
    if (chosen.isEmpty()) {
      throw new IllegalArgumentException(
          "No exit code would count as success; name one or more, 0 being the usual one.");
    }
    return new Command(words, directory, environment, stdio, ending, chosen);
  }

  /**
   * Returns the program.
   *
   * @return the name or path as it was given
   */
  public String program() {
    return words.getFirst();
  }

  /**
   * Returns the arguments, without the program.
   *
   * @return the arguments, unmodifiable
   */
  public List<String> arguments() {
    return words.subList(1, words.size());
  }

  /**
   * Returns the working directory.
   *
   * @return the directory, or empty for the one that this JVM was started in
   */
  public Optional<Path> cwd() {
    return Optional.ofNullable(directory);
  }

  /**
   * Returns the charset of the streams.
   *
   * @return the charset
   */
  public Charset charset() {
    return stdio.charset();
  }

  /**
   * Returns how long the child may run.
   *
   * @return the limit, or empty if there is none
   */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(ending.timeout());
  }

  /** The program and the arguments, unmodifiable. */
  List<String> words() {
    return words;
  }

  EnvChanges environment() {
    return environment;
  }

  Stdio stdio() {
    return stdio;
  }

  Ending ending() {
    return ending;
  }

  /** The exit codes that count as success, in ascending order. */
  List<Integer> successCodes() {
    return List.copyOf(successCodes);
  }

  boolean isSuccess(int exitCode) {
    return successCodes.contains(exitCode);
  }

  /**
   * Returns program and arguments as one would type them into a shell, on one line, cut after 512
   * characters; never the environment. Arguments are shown as they are, as {@code ps(1)} shows them
   * to every user of the machine: secrets belong elsewhere.
   */
  @Override
  public String toString() {
    return ShellQuote.line(words);
  }

  private Command withEnvironment(EnvChanges changed) {
    return new Command(words, directory, changed, stdio, ending, successCodes);
  }

  private Command withStdio(Stdio changed) {
    return new Command(words, directory, environment, changed, ending, successCodes);
  }

  private Command withEnding(Ending changed) {
    return new Command(words, directory, environment, stdio, changed, successCodes);
  }

  private static List<String> appended(List<String> words, String[] args) {
    List<String> all = new ArrayList<>(words);
    for (int i = 0; i < args.length; i++) {
      String arg = Texts.requireElement(args[i], "args", i);
      refuseFault("Argument " + all.size() + " of " + ShellQuote.line(words.subList(0, 1)), arg);
      all.add(arg);
    }
    return List.copyOf(all);
  }

  private static void refuseFault(String what, String word) {
    String fault = Texts.fault(word);
    if (fault != null) {
      throw badArgument(what + ", " + ShellQuote.line(List.of(word)) + ", " + fault + ".");
    }
  }

  private static ExecException badArgument(String message) {
    return new ExecException(ExecException.Reason.BAD_ARGUMENT, message);
  }
}
