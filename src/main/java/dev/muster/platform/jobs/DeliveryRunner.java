package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.Clock;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Execution;
import dev.muster.platform.log.OutageLog;
import dev.muster.platform.loop.LastError;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Runs a delivery job's body for one thing: measured, and without an exception that gets out. */
@Component
class DeliveryRunner {

  private static final Logger log = LoggerFactory.getLogger(DeliveryRunner.class);

  private final DeliveryJobRepository repository;
  private final Clock clock;
  private final MeterRegistry metrics;
  private final OutageLog outages;

  /** Those whose last run here failed: a row of failures is one line of the log. */
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  DeliveryRunner(
      DeliveryJobRepository repository, Clock clock, MeterRegistry metrics, OutageLog outages) {
    this.repository = repository;
    this.clock = clock;
    this.metrics = metrics;
    this.outages = outages;
  }

  /** How a run ended: when to run again, or nothing for a job that is done. */
  private record End(@Nullable Instant next, boolean failed) {}

  /** Runs the body at once, and gives back what then writes down how it ended. */
  CompletionHandler<Void> run(DeliveryJob job, Execution execution) {
    long start = System.nanoTime();
    End end = endOf(job, execution);
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
    if (end.failed()) {
      failures.increment();
    }
    return (complete, operations) -> {
      // a stop interrupts the body; what became of it is still worth writing down
      boolean interrupted = Thread.interrupted();
      repository.end(job.name(), execution.getId(), execution.version, end.next(), end.failed());
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    };
  }

  private End endOf(DeliveryJob job, Execution execution) {
    String name = job.name() + " " + execution.getId();
    try {
      Optional<Duration> pause = job.body().apply(execution.getId());
      if (failing.remove(name)) {
        log.info("job {} works again", name);
      }
      return new End(pause.map(clock.now()::plus).orElse(null), false);
    } catch (RuntimeException | Error e) {
      Duration pause = BackOff.OF_DELIVERIES.delay(execution.consecutiveFailures);
      if (!outages.met(e) && failing.add(name)) {
        log.warn(
            "job {} failed and will be tried again, first in {} ms: {}",
            name,
            pause.toMillis(),
            LastError.text(e));
      }
      return new End(clock.now().plus(pause), true);
    }
  }
}
