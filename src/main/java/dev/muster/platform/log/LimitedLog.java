package dev.muster.platform.log;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Limits one log statement to one line per second.
 *
 * <p>Callers can reach such a statement at any rate. Each line has the number of lines suppressed
 * since the one before.
 */
public final class LimitedLog {

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Logger log;
  private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - PAUSE.toNanos());
  private final AtomicLong leftOut = new AtomicLong();

  /**
   * Creates the log of one statement.
   *
   * @param place the class of the statement, which names the logger
   */
  public LimitedLog(Class<?> place) {
    this.log = LoggerFactory.getLogger(place);
  }

  /** Logs like {@code Logger}; an exception as the last argument is logged with its stack trace. */
  public void log(Level level, String message, @Nullable Object... arguments) {
    long last = loggedAt.get();
    long now = System.nanoTime();
    if (now - last < PAUSE.toNanos() || !loggedAt.compareAndSet(last, now)) {
      leftOut.incrementAndGet();
      return;
    }
    long more = leftOut.getAndSet(0);
    log.atLevel(level)
        .log(more == 0 ? message : message + " (and " + more + " times before)", arguments);
  }
}
