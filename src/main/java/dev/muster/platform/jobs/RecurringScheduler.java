package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.Clock;
import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Gives each recurring job to one replica at a time, and to another when that one dies.
 *
 * <p>It starts after the web server and stops before it, and long before the connections.
 */
@Component
class RecurringScheduler implements SmartLifecycle {

  private static final int THREADS = 4;

  /** Half of what a job's lateness may be, which is a second. */
  private static final Duration POLLS_EVERY = Duration.ofMillis(500);

  /** Missed four times, looked for every second time, and polled: taken over within 25 s. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(4);

  private static final int MISSED_HEARTBEATS = 4;

  private final DataSource database;
  private final List<RecurringJob> jobs;
  private final JobRunner runner;
  private final Replica replica;
  private final Clock clock;
  private final SchedulerOutages outages;
  private volatile @Nullable Scheduler running;

  RecurringScheduler(
      DataSource database,
      List<RecurringJob> jobs,
      JobRunner runner,
      Replica replica,
      Clock clock,
      SchedulerOutages outages) {
    this.database = database;
    this.jobs = jobs;
    this.runner = runner;
    this.replica = replica;
    this.clock = clock;
    this.outages = outages;
  }

  @Override
  public void start() {
    Scheduler scheduler =
        Scheduler.create(database)
            .startTasks(jobs.stream().map(this::task).toList())
            .tableName("recurring_jobs")
            .schedulerName(new SchedulerName.Fixed(replica.name()))
            .jdbcCustomization(new PostgreSqlJdbcCustomization(false, false))
            .clock(clock)
            .threads(THREADS)
            .pollUsingLockAndFetch(0.5, 1)
            .pollingInterval(POLLS_EVERY)
            .heartbeatInterval(HEARTBEAT)
            .missedHeartbeatsLimit(MISSED_HEARTBEATS)
            .shutdownMaxWait(BoundedStop.PATIENCE_WITH_RUNS)
            .addSchedulerListener(outages)
            .build();
    scheduler.start();
    running = scheduler;
  }

  private RecurringTask<Void> task(RecurringJob job) {
    return Tasks.recurring(job.name(), FixedDelay.of(job.interval()))
        .execute((instance, context) -> runner.run(job));
  }

  @Override
  public void stop() {
    @Nullable Scheduler scheduler = running;
    if (scheduler != null) {
      running = null;
      BoundedStop.stop(scheduler);
    }
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }
}
