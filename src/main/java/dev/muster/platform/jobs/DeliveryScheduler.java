package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.Clock;
import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.muster.platform.log.OutageLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Runs the delivery jobs that are due, many at once: beside the recurring ones, which slow callees
 * must never hold up.
 *
 * <p>It starts after the web server and stops before it, and long before the connections.
 */
@Component
class DeliveryScheduler implements SmartLifecycle {

  /** Each a virtual thread, and most of the time waiting for somebody else. */
  private static final int MOST_AT_ONCE = 256;

  private static final Duration POLLS_EVERY = Duration.ofMillis(500);

  /** As of the recurring jobs: taken over within 25 s. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(4);

  private static final int MISSED_HEARTBEATS = 4;

  private final DataSource database;
  private final ObjectProvider<DeliveryJob> jobs;
  private final DeliveryRunner runner;
  private final DeliveryJobs schedule;
  private final Replica replica;
  private final Clock clock;
  private final OutageLog outages;
  private volatile @Nullable Scheduler running;

  /** The jobs are asked for at the start only: those who run them may also schedule them. */
  DeliveryScheduler(
      DataSource database,
      ObjectProvider<DeliveryJob> jobs,
      DeliveryRunner runner,
      DeliveryJobs schedule,
      Replica replica,
      Clock clock,
      OutageLog outages) {
    this.database = database;
    this.jobs = jobs;
    this.runner = runner;
    this.schedule = schedule;
    this.replica = replica;
    this.clock = clock;
    this.outages = outages;
  }

  @Override
  public void start() {
    List<Task<?>> tasks = jobs.stream().<Task<?>>map(this::task).toList();
    Scheduler scheduler =
        Scheduler.create(database, tasks)
            .tableName("delivery_jobs")
            .schedulerName(new SchedulerName.Fixed(replica.name()))
            .jdbcCustomization(new PostgreSqlJdbcCustomization(false, false))
            .clock(clock)
            .threads(MOST_AT_ONCE)
            .executorService(Executors.newVirtualThreadPerTaskExecutor())
            .pollUsingLockAndFetch(0.5, 1)
            .pollingInterval(POLLS_EVERY)
            .heartbeatInterval(HEARTBEAT)
            .missedHeartbeatsLimit(MISSED_HEARTBEATS)
            .shutdownMaxWait(BoundedStop.PATIENCE_WITH_RUNS)
            .addSchedulerListener(new SchedulerLog(replica, outages))
            .build();
    scheduler.start();
    schedule.lookWith(scheduler::triggerCheckForDueExecutions);
    running = scheduler;
  }

  private Task<Void> task(DeliveryJob job) {
    return Tasks.custom(job.name(), Void.class)
        .onDeadExecutionRevive()
        .execute((instance, context) -> runner.run(job, context.getExecution()));
  }

  @Override
  public void stop() {
    @Nullable Scheduler scheduler = running;
    if (scheduler != null) {
      running = null;
      schedule.lookWith(() -> {});
      BoundedStop.stop(List.of(scheduler));
    }
  }

  /** While the other scheduler stops too, so that both together take no longer than one. */
  @Override
  public void stop(Runnable stopped) {
    Thread.ofVirtual()
        .start(() -> {
          stop();
          stopped.run();
        });
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }
}
