package dev.muster.delegation;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counts transitions once they are committed, and how long delegations took to their ends. */
@Component
class DelegationCounts {

  private final MeterRegistry metrics;

  DelegationCounts(MeterRegistry metrics) {
    this.metrics = metrics;
  }

  void countAfterCommit(List<Transition> transitions) {
    if (transitions.isEmpty()) {
      return;
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            transitions.forEach(DelegationCounts.this::count);
          }
        });
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
