package dev.muster.platform.work;

import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import dev.muster.platform.log.OutageLog;
import dev.muster.platform.text.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the jobs taken over from dead replicas, and failures of a scheduler's table.
 *
 * <p>Replaces the scheduler's own log, which is off. It does not log the cause. During a database
 * outage it stays silent, because {@link OutageLog} reports that within seconds.
 */
final class SchedulerLog extends AbstractSchedulerListener {

  private static final Logger log = LoggerFactory.getLogger(SchedulerLog.class);

  private final ReplicaName self;
  private final OutageLog outages;
  private final Duration outageLogDelay;
  private final Map<String, List<String>> dead = new TreeMap<>();
  private @Nullable Long failsSince;
  private boolean logged;

  SchedulerLog(ReplicaName self, OutageLog outages, Duration outageLogDelay) {
    this.self = self;
    this.outages = outages;
    this.outageLogDelay = outageLogDelay;
  }

  /** Skips runs that this replica picked itself and lost in an outage: they are no takeover. */
  @Override
  public synchronized void onExecutionDead(Execution execution) {
    if (self.name().equals(execution.pickedBy)) {
      return;
    }
    String job = execution.getTaskName();
    String name =
        execution.getId().equals(RecurringTask.INSTANCE) ? job : job + " " + execution.getId();
    dead.computeIfAbsent(String.valueOf(execution.pickedBy), replica -> new ArrayList<>())
        .add(name);
  }

  @Override
  public synchronized void onSchedulerEvent(SchedulerEventType type) {
    switch (type) {
      case UNEXPECTED_ERROR -> failed(System.nanoTime());
      case RAN_DETECT_DEAD -> {
        logDeadReplicas();
        failsSince = null;
        if (logged) {
          logged = false;
          log.info("cluster jobs continue");
        }
      }
      default -> {
        // other events are routine
      }
    }
  }

  private void logDeadReplicas() {
    dead.forEach((replica, names) ->
        log.info(
            "took over {} job runs from {}, whose heartbeats stopped: {}",
            names.size(),
            replica,
            Text.few(names)));
    dead.clear();
  }

  private void failed(long now) {
    @Nullable Long since = failsSince;
    if (outages.isUnderWay()) {
      failsSince = null;
    } else if (since == null) {
      failsSince = now;
    } else if (!logged && now - since >= outageLogDelay.toNanos()) {
      logged = true;
      log.warn("cluster jobs wait: their table cannot be read or written right now");
    }
  }
}
