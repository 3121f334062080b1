package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.Scheduler;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stops a scheduler in a thread of its own: a database that does not answer would hold it up. */
final class BoundedStop {

  private static final Logger log = LoggerFactory.getLogger(BoundedStop.class);

  /** For a run to end, and as long again after its interruption. */
  static final Duration PATIENCE_WITH_RUNS = Duration.ofSeconds(2);

  private static final Duration PATIENCE = Duration.ofSeconds(6);

  private BoundedStop() {}

  static void stop(Scheduler scheduler) {
    Thread stopping = Thread.ofVirtual().start(scheduler::stop);
    try {
      if (!stopping.join(PATIENCE)) {
        log.warn("a job did not end in time; another replica will run it again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
