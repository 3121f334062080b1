package dev.muster.delivery;

import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.A2aRequest;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.AttemptListener;
import dev.muster.protocol.client.RetryPolicy;
import dev.muster.protocol.client.StreamSink;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Sends requests to agents. While a sender waits, a send makes up to the configured number of
 * attempts. A send from the queue makes one attempt, since the queue has its own pauses.
 */
@Component
class TargetCalls {

  private final A2aClient direct;
  private final A2aClient queued;

  TargetCalls(DeliverySettings settings, AgentUrlAddressGuard guard, MeterRegistry metrics) {
    AttemptListener counter =
        (target, outcome) ->
            Counter.builder("muster.a2a.attempts")
                .description("Attempts to send a message to an agent")
                .tag("outcome", outcome)
                .register(metrics)
                .increment();
    this.direct = client(settings.maxAttempts(), settings, guard, counter);
    this.queued = client(1, settings, guard, counter);
  }

  private static A2aClient client(
      int attempts,
      DeliverySettings settings,
      AgentUrlAddressGuard guard,
      AttemptListener counter) {
    return A2aClient.builder()
        .policy(
            new RetryPolicy(
                attempts, settings.retryAmbiguous(), RetryPolicy.DEFAULT.connectTimeout()))
        .budget(new TargetRetryBudget(System::nanoTime))
        .guard(guard)
        .listener(counter)
        .build();
  }

  /**
   * Sends with retries.
   *
   * @param sink takes the response if it is a stream; may be null
   */
  A2aResult send(A2aRequest request, @Nullable StreamSink sink) {
    return sink == null ? direct.send(request) : direct.send(request, sink);
  }

  A2aResult sendOnce(A2aRequest request) {
    return queued.send(request);
  }

  @PreDestroy
  void close() {
    direct.close();
    queued.close();
  }
}
