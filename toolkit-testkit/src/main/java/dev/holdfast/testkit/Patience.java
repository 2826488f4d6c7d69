package dev.holdfast.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Waits for conditions on the calling thread, as the census must not start threads of its own. */
final class Patience {

  private static final Duration POLL = Duration.ofMillis(5);

  private Patience() {}

  /**
   * True as soon as the condition holds, false when the time is up; an interrupt is kept for later.
   */
  static boolean until(Duration limit, Callable<Boolean> condition) {
    boolean interrupted = Thread.interrupted();
    try {
      if (condition.call()) {
        return true;
      }
      Awaitility.await()
          .pollInSameThread()
          .pollDelay(Duration.ZERO)
          .pollInterval(POLL)
          .atMost(limit.compareTo(POLL) > 0 ? limit : POLL.multipliedBy(2))
          .until(condition);
      return true;
    } catch (ConditionTimeoutException e) {
      return false;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("The condition could not be judged.", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
