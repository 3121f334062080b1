package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Tells of a database that is away in one line: the scheduler itself, whose log is off, would write
 * a trace with every poll.
 */
@Component
final class SchedulerOutages extends AbstractSchedulerListener {

  private static final Logger log = LoggerFactory.getLogger(SchedulerOutages.class);

  private final AtomicBoolean failing = new AtomicBoolean();

  @Override
  public void onSchedulerEvent(SchedulerEventType type) {
    switch (type) {
      case UNEXPECTED_ERROR -> {
        if (failing.compareAndSet(false, true)) {
          log.warn("cluster jobs wait: their table cannot be read or written right now");
        }
      }
      case RAN_DETECT_DEAD -> {
        if (failing.compareAndSet(true, false)) {
          log.info("cluster jobs go on");
        }
      }
      default -> {
        // the rest is its everyday
      }
    }
  }
}
