package dev.holdfast.exec.spawn;

import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * All that a spawn needs to know, decided before it begins.
 *
 * @param path the program, as an absolute path
 * @param argv the arguments, with the name of the program first
 * @param envp the environment but for the cookie, as {@code K=V}
 * @param cookieChain the chain of ids that this JVM inherited, with a slash at its end, or empty
 * @param directory the working directory; null for the JVM's
 * @param stdin where standard input comes from
 * @param stdout where standard output goes
 * @param stderr where standard error goes; null for where standard output goes
 * @param containment what counts as the tree
 * @param rungs the stop ladder, without the KILL at its end
 * @param timeoutNanos how long the leader may run; {@link #FOR_EVER} for no limit
 * @param failsScope whether a failing sink is a failure of the scope
 * @param failure makes the exception for what a sink has thrown
 * @param label what messages call the child
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SpawnPlan(
    byte[] path,
    List<byte[]> argv,
    List<byte[]> envp,
    String cookieChain,
    byte @Nullable [] directory,
    StreamPlan stdin,
    StreamPlan stdout,
    @Nullable StreamPlan stderr,
    Reach containment,
    List<Rung> rungs,
    long timeoutNanos,
    boolean failsScope,
    BiFunction<Child, Throwable, RuntimeException> failure,
    String label) {

  /** The longest time that counts, in nanoseconds; some decades. */
  public static final long FOR_EVER = Long.MAX_VALUE / 8;

  /** What counts as the tree of a child. */
  public enum Reach {
    /** The placeholder's group and the leader's own. */
    GROUP,
    /** These, the descendants by parent chain, and every process that carries the cookie. */
    TREE
  }
}
