package dev.muster.delegation;

import dev.muster.delegation.DelegationRepository.Group;
import dev.muster.platform.log.CachedScrape;
import dev.muster.platform.log.LineBudget;
import dev.muster.platform.postgres.AfterCommit;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Measures the number, age, transitions and completion times of delegations. It also logs the ends.
 */
@Component
class DelegationMetrics {

  /** How long counts are cached. The query scans an index of a ledger with millions of rows. */
  private static final Duration FRESH = Duration.ofSeconds(15);

  private static final Logger log = LoggerFactory.getLogger(DelegationMetrics.class);

  private final LineBudget lines = new LineBudget(System::nanoTime);
  private final MeterRegistry metrics;
  private final CachedScrape<Optional<Map<DelegationStatus, Group>>> groups;

  DelegationMetrics(DelegationRepository repository, MeterRegistry metrics) {
    this.metrics = metrics;
    this.groups =
        new CachedScrape<>(FRESH, () -> Optional.of(repository.groups()), Optional.empty());
    for (DelegationStatus status : DelegationStatus.values()) {
      Gauge.builder("muster.delegations", () -> value(status, Group::delegations))
          .description("Delegations by status")
          .tag("status", status.wire())
          .register(metrics);
      if (status.isInFlight()) {
        Gauge.builder("muster.delegations.oldest", () -> value(status, Group::oldestS))
            .description("Age of the oldest delegation that has not ended")
            .baseUnit("seconds")
            .tag("status", status.wire())
            .register(metrics);
      }
    }
  }

  /** Returns NaN if the counts are unknown, such as without the database. */
  private double value(DelegationStatus status, ToDoubleFunction<Group> part) {
    return groups
        .get()
        .map(all -> part.applyAsDouble(all.getOrDefault(status, Group.NONE)))
        .orElse(Double.NaN);
  }

  void countAfterCommit(List<Transition> transitions) {
    if (transitions.isEmpty()) {
      return;
    }
    AfterCommit.run(() -> {
      transitions.forEach(this::count);
      logEnds(transitions.stream().filter(Transition::isEnd).toList());
    });
  }

  private void logEnds(List<Transition> ends) {
    int granted = lines.grant(ends.size());
    for (Transition end : ends.subList(0, granted)) {
      LockedDelegation delegation = end.delegation();
      log.info(
          "delegation {} of workspace {} to {}: {} -> {}",
          delegation.delegationId(),
          delegation.callerId(),
          delegation.calleeId(),
          end.from().wire(),
          delegation.status().wire());
    }
    if (granted < ends.size()) {
      log.info("{} more delegations ended", ends.size() - granted);
    }
  }

  private void count(Transition transition) {
    LockedDelegation delegation = transition.delegation();
    String to = delegation.status().wire();
    Counter.builder("muster.delegation.transitions")
        .description("Changes of the status of delegations")
        .tag("from", transition.from().wire())
        .tag("to", to)
        .register(metrics)
        .increment();
    if (transition.isEnd()) {
      Timer.builder("muster.delegation.completion")
          .description("From a delegation's creation to its end")
          .tag("status", to)
          .register(metrics)
          .record(Duration.between(delegation.createdAt(), delegation.now()));
    }
  }
}
