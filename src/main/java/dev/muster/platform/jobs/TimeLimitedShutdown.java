package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.Scheduler;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops schedulers within a time limit, each in its own thread.
 *
 * <p>A database that does not respond would block an unlimited stop.
 */
final class TimeLimitedShutdown {

  private static final Logger log = LoggerFactory.getLogger(TimeLimitedShutdown.class);

  /** The time for a run to end, and again after its interruption. */
  static final Duration RUN_TIMEOUT = Duration.ofSeconds(2);

  private static final Duration TIMEOUT = Duration.ofSeconds(6);

  private TimeLimitedShutdown() {}

  /** Stops all schedulers in parallel, so that together they take no longer than one. */
  static void stop(List<Scheduler> schedulers) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    List<Thread> stopping =
        schedulers.stream().map(one -> Thread.ofVirtual().start(one::stop)).toList();
    try {
      for (Thread one : stopping) {
        if (!one.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())))) {
          log.warn("a job did not end in time; another replica will run it again");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
