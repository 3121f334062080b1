package dev.muster.platform.log;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The log of one place in the code that callers can reach as often as they like: one line a second,
 * with the number of those that were left out since the one before.
 */
public final class LimitedLog {

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Logger log;
  private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - PAUSE.toNanos());
  private final AtomicLong leftOut = new AtomicLong();

  /** Each place has its own, named after the class that it stands in. */
  public LimitedLog(Class<?> place) {
    this.log = LoggerFactory.getLogger(place);
  }

  /** As {@code Logger} does; a last argument that is an exception comes with its trace. */
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
