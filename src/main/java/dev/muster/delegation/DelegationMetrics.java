package dev.muster.delegation;

import dev.muster.delegation.DelegationRepository.Group;
import dev.muster.platform.metrics.ScrapedValue;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/** How many delegations there are of each status, and how old the oldest in flight are. */
@Component
class DelegationMetrics implements MeterBinder {

  /** Of a ledger of millions this is a look through an index. */
  private static final Duration FRESH = Duration.ofSeconds(15);

  private final ScrapedValue<Optional<Map<DelegationStatus, Group>>> groups;

  DelegationMetrics(DelegationRepository repository) {
    this.groups =
        new ScrapedValue<>(FRESH, () -> Optional.of(repository.groups()), Optional.empty());
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (DelegationStatus status : DelegationStatus.values()) {
      Gauge.builder("muster.delegations", () -> value(status, Group::delegations))
          .description("Delegations by status")
          .tag("status", status.wire())
          .register(registry);
      if (status.isInFlight()) {
        Gauge.builder("muster.delegations.oldest", () -> value(status, Group::oldestS))
            .description("Age of the oldest delegation that has not ended")
            .baseUnit("seconds")
            .tag("status", status.wire())
            .register(registry);
      }
    }
  }

  /** NaN when the database cannot tell. */
  private double value(DelegationStatus status, ToDoubleFunction<Group> part) {
    return groups
        .get()
        .map(all -> part.applyAsDouble(all.getOrDefault(status, Group.NONE)))
        .orElse(Double.NaN);
  }
}
