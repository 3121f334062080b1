package dev.muster.a2a.queue;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counts ends of queued messages, by their kinds, once they are committed. */
@Component
class EndCounts {

  private final Map<EndState, Counter> counters = new EnumMap<>(EndState.class);

  EndCounts(MeterRegistry metrics) {
    for (EndState state : EndState.values()) {
      counters.put(
          state,
          Counter.builder("muster.queue.ends")
              .description("Queued messages that ended")
              .tag("state", state.state().wire())
              .register(metrics));
    }
  }

  void countAfterCommit(EndState state, int ended) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            Objects.requireNonNull(counters.get(state)).increment(ended);
          }
        });
  }
}
