package dev.muster.platform.work;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The times by which a dead replica's job is found and taken over.
 *
 * @param poll the interval of the looks for due jobs: half of the allowed lateness of a job, 1 s
 * @param heartbeat the interval of the heartbeats of a running job, and of the check of those of
 *     others
 * @param overdue how long a job is due before it counts as overdue, longer than a takeover takes
 * @param outageLogDelay how long a failure of the table lasts before it is logged
 */
@Component
record JobTimes(Duration poll, Duration heartbeat, Duration overdue, Duration outageLogDelay) {

  static final int MISSED_HEARTBEATS = 4;

  @Autowired
  JobTimes(Pace pace) {
    this(
        Duration.ofMillis(500),
        pace.of(Duration.ofSeconds(4)),
        pace.of(Duration.ofSeconds(30)),
        pace.of(Duration.ofSeconds(8)));
  }

  /** The longest time until a dead replica's job runs again. The documentation promises 30 s. */
  Duration takeover() {
    return heartbeat.multipliedBy(MISSED_HEARTBEATS + 1).plus(poll);
  }
}
