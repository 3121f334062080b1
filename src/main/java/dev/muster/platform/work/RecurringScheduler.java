package dev.muster.platform.work;

import com.github.kagkarlsson.scheduler.Clock;
import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.Daily;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import com.github.kagkarlsson.scheduler.task.schedule.Schedule;
import dev.muster.platform.log.OutageLog;
import dev.muster.platform.work.RecurringJob.Kind;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Runs each recurring job on one replica at a time; another takes over after a crash.
 *
 * <p>Deletions by age have their own threads and table, so that no sweep waits for them.
 *
 * <p>It starts after the web server, stops before it, and stops long before the connection pool.
 */
@Component
class RecurringScheduler implements SmartLifecycle {

  private static final int SWEEP_THREADS = 4;

  /** Few, so that large deletions leave the database to the requests. */
  private static final int RETENTION_THREADS = 2;

  private static final LocalTime NIGHT_BEGINS = LocalTime.of(1, 0);
  private static final Duration NIGHT = Duration.ofHours(4);

  private static final Logger log = LoggerFactory.getLogger(RecurringScheduler.class);

  /** The time for a run to end, and again after its interruption. */
  private static final Duration RUN_TIMEOUT = Duration.ofSeconds(2);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(6);

  private final DataSource database;
  private final List<RecurringJob> jobs;
  private final JobRunner runner;
  private final ReplicaName replica;
  private final Clock clock;
  private final OutageLog outages;
  private final JobTimes times;
  private volatile List<Scheduler> running = List.of();

  RecurringScheduler(
      DataSource database,
      List<RecurringJob> jobs,
      JobRunner runner,
      ReplicaName replica,
      Clock clock,
      OutageLog outages,
      JobTimes times) {
    this.database = database;
    this.jobs = jobs;
    this.runner = runner;
    this.replica = replica;
    this.clock = clock;
    this.outages = outages;
    this.times = times;
  }

  @Override
  public void start() {
    List<Scheduler> schedulers =
        List.of(
            scheduler("recurring_jobs", SWEEP_THREADS, tasks(Kind.SWEEP)),
            scheduler(
                "retention_jobs",
                RETENTION_THREADS,
                tasks(Kind.RETENTION, Kind.NIGHTLY_RETENTION)));
    schedulers.forEach(Scheduler::start);
    running = schedulers;
  }

  private Scheduler scheduler(String table, int threads, List<RecurringTask<Void>> tasks) {
    return Scheduler.create(database)
        .startTasks(tasks)
        .tableName(table)
        .schedulerName(new SchedulerName.Fixed(replica.name()))
        .jdbcCustomization(new PostgreSqlJdbcCustomization(false, false))
        .clock(clock)
        .threads(threads)
        .pollUsingLockAndFetch(0.5, 1)
        .pollingInterval(times.poll())
        .heartbeatInterval(times.heartbeat())
        .missedHeartbeatsLimit(JobTimes.MISSED_HEARTBEATS)
        .shutdownMaxWait(RUN_TIMEOUT)
        .addSchedulerListener(new SchedulerLog(replica, outages, times.outageLogDelay()))
        .build();
  }

  private List<RecurringTask<Void>> tasks(Kind... kinds) {
    Set<Kind> wanted = Set.of(kinds);
    return jobs.stream()
        .filter(job -> wanted.contains(job.kind()))
        .map(job ->
            Tasks.recurring(job.name(), schedule(job))
                .execute((instance, context) -> runner.run(job)))
        .toList();
  }

  private Schedule schedule(RecurringJob job) {
    if (job.kind() != Kind.NIGHTLY_RETENTION) {
      return FixedDelay.of(job.interval());
    }
    List<String> nightly =
        jobs.stream()
            .filter(one -> one.kind() == Kind.NIGHTLY_RETENTION)
            .map(RecurringJob::name)
            .sorted()
            .toList();
    Duration pause = NIGHT.dividedBy(nightly.size());
    return new Daily(
        ZoneId.systemDefault(), NIGHT_BEGINS.plus(pause.multipliedBy(nightly.indexOf(job.name()))));
  }

  @Override
  public void stop() {
    List<Scheduler> schedulers = running;
    running = List.of();
    stop(schedulers);
  }

  /**
   * Stops all schedulers in parallel, so that together they take no longer than one. A database
   * that does not respond would block a stop without a time limit.
   */
  private static void stop(List<Scheduler> schedulers) {
    long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
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

  @Override
  public boolean isRunning() {
    return !running.isEmpty();
  }
}
