package dev.muster.message.call;

import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.protocol.A2aTranslation;
import dev.muster.protocol.A2aVersion;
import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.A2aClient.AttemptListener;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.ResponseMemoryAllocation;
import dev.muster.protocol.client.RetryPolicy;
import dev.muster.protocol.client.StreamSink;
import dev.muster.protocol.client.TargetGuard;
import dev.muster.protocol.client.TargetGuard.TargetNotAllowedException;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.AddressNotAllowedException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.springframework.stereotype.Component;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends requests to agents. While a sender waits, a send makes up to the configured number of
 * attempts. A send from the queue makes one attempt, since the queue has its own pauses.
 */
@Component
public class TargetCalls {

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

  private static final LimitedLog notLearned = new LimitedLog(TargetCalls.class);

  /** "Method not found" of JSON-RPC, and "version not supported" of A2A 1.0. */
  private static final Set<Long> OTHER_VERSION = Set.of(-32601L, -32009L);

  /** A larger answer, in bytes, is passed on as the agent sent it. */
  private static final int MAX_TRANSLATED = 4 << 20;

  private final Workspaces workspaces;
  private final DeliverySettings settings;
  private final A2aClient direct;
  private final A2aClient queued;

  TargetCalls(
      Workspaces workspaces, DeliverySettings settings, AgentUrlGuard urls, MeterRegistry metrics) {
    this.workspaces = workspaces;
    this.settings = settings;
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
   * @param space of the response
   * @param sink takes the response if it is a stream; may be null
   */
  public A2aResult send(
      OutboundRequest request, ResponseMemoryAllocation space, @Nullable StreamSink sink) {
    return sink == null
        ? send(direct, request, space)
        : direct.send(request.request(settings.readTimeout(), space), sink);
  }

  public A2aResult sendOnce(OutboundRequest request, ResponseMemoryAllocation space) {
    return send(queued, request, space);
  }

  /**
   * Sends in the agent's version what states none. If the agent does not know that version, sends
   * once in the other one, and remembers which it knows (R7.13).
   */
  private A2aResult send(
      A2aClient client, OutboundRequest request, ResponseMemoryAllocation space) {
    if (!request.isVersionFree()) {
      return client.send(request.request(settings.readTimeout(), space));
    }
    DeliveryTarget target = request.target();
    A2aVersion version = Objects.requireNonNullElse(target.agentProtocol(), A2aVersion.V0_3);
    A2aResult result = send(client, request, version, space);
    if (!refusesVersion(result)) {
      return result;
    }
    space.clear();
    A2aVersion other = version == A2aVersion.V0_3 ? A2aVersion.V1_0 : A2aVersion.V0_3;
    A2aResult second = send(client, request, other, space);
    if (refusesVersion(second)) {
      return result;
    }
    if (second instanceof A2aResult.Answer || second instanceof A2aResult.RpcError) {
      learn(target, other);
    }
    return second;
  }

  private A2aResult send(
      A2aClient client,
      OutboundRequest request,
      A2aVersion version,
      ResponseMemoryAllocation space) {
    return switch (version) {
      case V0_3 -> client.send(request.request(settings.readTimeout(), space));
      case V1_0 -> in03(client.send(request.requestIn1(settings.readTimeout(), space)));
    };
  }

  /** Returns an answer of 1.0 as one of 0.3, which the sender expects. */
  private static A2aResult in03(A2aResult result) {
    if (!(result instanceof A2aResult.Answer answer) || answer.body().length > MAX_TRANSLATED) {
      return result;
    }
    try {
      return LosslessJson.parse(answer.body()) instanceof ObjectNode sent
          ? answer.with(utf8(A2aTranslation.answerTo03(sent)))
          : result;
    } catch (ProblemException tooManyValues) {
      return result;
    }
  }

  private static byte[] utf8(ObjectNode document) {
    return LosslessJson.write(document).text().getBytes(StandardCharsets.UTF_8);
  }

  /** Whether the agent has refused the version or the method, and so has done nothing. */
  private static boolean refusesVersion(A2aResult result) {
    return switch (result) {
      case A2aResult.RpcError error -> OTHER_VERSION.contains(error.code());
      case A2aResult.HttpError error -> OTHER_VERSION.contains(error.rpcCode());
      default -> false;
    };
  }

  /** What is not stored now is learned again. */
  private void learn(DeliveryTarget target, A2aVersion version) {
    try {
      workspaces.learned(target.id(), version);
    } catch (RuntimeException e) {
      notLearned.log(Level.DEBUG, "the version of {} could not be stored", target.id(), e);
    }
  }

  @PreDestroy
  void close() {
    direct.close();
    queued.close();
  }
}
