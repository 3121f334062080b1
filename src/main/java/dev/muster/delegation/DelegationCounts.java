package dev.muster.delegation;

import dev.muster.platform.commit.AfterCommit;
import dev.muster.platform.log.LineBudget;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Counts transitions once they are committed, and how long delegations took to their ends. */
@Component
class DelegationCounts {

  private static final Logger log = LoggerFactory.getLogger(DelegationCounts.class);

  private final LineBudget lines = new LineBudget(System::nanoTime);
  private final MeterRegistry metrics;

  DelegationCounts(MeterRegistry metrics) {
    this.metrics = metrics;
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
