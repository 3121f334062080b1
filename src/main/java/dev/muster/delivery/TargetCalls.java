package dev.muster.delivery;

import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.A2aClient.AttemptListener;
import dev.muster.protocol.client.A2aRequest;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.RetryPolicy;
import dev.muster.protocol.client.StreamSink;
import dev.muster.protocol.client.TargetGuard;
import dev.muster.protocol.client.TargetGuard.TargetNotAllowedException;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.AddressNotAllowedException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Sends requests to agents. While a sender waits, a send makes up to the configured number of
 * attempts. A send from the queue makes one attempt, since the queue has its own pauses.
 */
@Component
class TargetCalls {

  /**
   * Checks every url before it is dialled, and every resolved host name, by {@link AgentUrlGuard}
   * (R3.3).
   */
  static final class DialGuard implements TargetGuard {

    private final AgentUrlGuard guard;

    DialGuard(AgentUrlGuard guard) {
      this.guard = guard;
    }

    @Override
    public void requireAllowed(String url) throws TargetNotAllowedException {
      if (guard.checkForm(url) instanceof AgentUrlGuard.Decision.Refused refused) {
        throw new TargetNotAllowedException(refused.label());
      }
    }

    @Override
    public List<InetAddress> resolve(String host) throws UnknownHostException {
      return resolve(host, "");
    }

    @Override
    public List<InetAddress> resolve(String host, String target) throws UnknownHostException {
      try {
        return guard.resolve(host, target);
      } catch (AddressNotAllowedException e) {
        throw new TargetNotAllowedException(e.addressClass().label());
      }
    }
  }

  private final A2aClient direct;
  private final A2aClient queued;

  TargetCalls(DeliverySettings settings, AgentUrlGuard urls, MeterRegistry metrics) {
    AttemptListener counter =
        (target, outcome) ->
            Counter.builder("muster.a2a.attempts")
                .description("Attempts to send a message to an agent")
                .tag("outcome", outcome)
                .register(metrics)
                .increment();
    DialGuard guard = new DialGuard(urls);
    this.direct = client(settings.maxAttempts(), settings, guard, counter);
    this.queued = client(1, settings, guard, counter);
  }

  private static A2aClient client(
      int attempts, DeliverySettings settings, DialGuard guard, AttemptListener counter) {
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
