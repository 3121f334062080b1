package dev.muster.platform.work;

import com.github.kagkarlsson.scheduler.Clock;
import dev.muster.platform.log.OutageLog;
import dev.muster.platform.text.ErrorText;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Runs a job's body, records its result, and lets no exception escape. */
@Component
class JobRunner {

  private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

  private final JobHistory runs;
  private final ReplicaName replica;
  private final Clock clock;
  private final MeterRegistry metrics;
  private final OutageLog outages;

  /** Jobs whose last run here failed: consecutive failures log one warning. */
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  JobRunner(
      JobHistory runs, ReplicaName replica, Clock clock, MeterRegistry metrics, OutageLog outages) {
    this.runs = runs;
    this.replica = replica;
    this.clock = clock;
    this.metrics = metrics;
    this.outages = outages;
  }

  void run(RecurringJob job) {
    Instant startedAt = clock.now();
    long start = System.nanoTime();
    @Nullable Throwable failure = failureOf(job);
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    Timer.builder("muster.job")
        .description("How long runs of a job took")
        .tag("job", job.name())
        .register(metrics)
        .record(took);
    Counter failures =
        Counter.builder("muster.job.failures")
            .description("Runs of a job that failed")
            .tag("job", job.name())
            .register(metrics);
    if (failure != null) {
      failures.increment();
    }
    record(job, startedAt, took, failure);
  }

  private @Nullable Throwable failureOf(RecurringJob job) {
    try {
      job.body().run();
      if (failing.remove(job.name())) {
        log.info("job {} works again", job.name());
      }
      return null;
    } catch (RuntimeException | Error e) {
      if (!outages.report(e) && failing.add(job.name())) {
        log.warn(
            "job {} failed and will be tried again every {} ms: {}",
            job.name(),
            job.interval().toMillis(),
            ErrorText.summary(e));
      }
      return e;
    }
  }

  private void record(
      RecurringJob job, Instant startedAt, Duration took, @Nullable Throwable failure) {
    try {
      runs.record(
          job.name(),
          replica.name(),
          startedAt,
          took,
          failure == null ? null : ErrorText.summary(failure));
    } catch (RuntimeException e) {
      log.debug("the end of {} could not be recorded", job.name(), e);
    }
  }
}
