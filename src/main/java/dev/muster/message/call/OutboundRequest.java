package dev.muster.message.call;

import dev.muster.message.store.Sender;
import dev.muster.platform.text.LosslessJson;
import dev.muster.protocol.A2aMethod;
import dev.muster.protocol.A2aTranslation;
import dev.muster.protocol.A2aVersion;
import dev.muster.protocol.client.A2aRequest;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.ResponseMemoryAllocation;
import dev.muster.protocol.client.ResponseMemoryBudget;
import dev.muster.workspace.DeliveryTarget;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request to a push agent, ready to be sent.
 *
 * @param idleTimeoutSeconds how long the agent may be silent within one response, in s; null or 0
 *     for the configured read timeout
 * @param headers the headers of the sender that are passed to the agent
 * @param isVersionFree whether it is a message of 0.3 whose sender states no version, so that it
 *     may go in the version of the agent (R7.13)
 */
@SuppressWarnings("ArrayRecordComponent") // up to 16 MiB: passed on, never compared
public record OutboundRequest(
    DeliveryTarget target,
    @Nullable Integer idleTimeoutSeconds,
    Sender sender,
    byte[] body,
    Map<String, String> headers,
    boolean isVersionFree,
    Deadline deadline) {

  private static final String SENDER = "X-Source-Workspace-Id";

  /** Whether the request states no version beside the method of 0.3. */
  public static boolean isVersionFree(String method, Map<String, String> headers) {
    return method.equals(A2aMethod.SEND.name(A2aVersion.V0_3))
        && !headers.containsKey(A2aVersion.HEADER);
  }

  /** Allocates memory for the response, from the shares of its target and its sender. */
  public ResponseMemoryAllocation openSpace(ResponseMemoryBudget answers) {
    return answers.open(target.id(), sender.owner());
  }

  /**
   * Builds the request; the agent's own idle timeout, if set, replaces {@code readTimeout}
   * (docs/api.md, section 4).
   */
  A2aRequest request(Duration readTimeout, ResponseMemoryAllocation space) {
    return request(body, headers, readTimeout, space);
  }

  /** Builds the same request in A2A 1.0. */
  A2aRequest requestIn1(Duration readTimeout, ResponseMemoryAllocation space) {
    ObjectNode translated = A2aTranslation.requestTo1((ObjectNode) LosslessJson.parse(body));
    Map<String, String> stated = new HashMap<>(headers);
    stated.put(A2aVersion.HEADER, A2aVersion.V1_0.wire());
    return request(
        LosslessJson.write(translated).text().getBytes(StandardCharsets.UTF_8),
        stated,
        readTimeout,
        space);
  }

  private A2aRequest request(
      byte[] sent,
      Map<String, String> stated,
      Duration readTimeout,
      ResponseMemoryAllocation space) {
    Map<String, String> all = new HashMap<>(stated);
    @Nullable UUID senderId = sender.workspaceId();
    if (senderId != null) {
      all.put(SENDER, senderId.toString());
    }
    @Nullable Integer own = idleTimeoutSeconds;
    return new A2aRequest(
        target.id().toString(),
        target.url(),
        sent,
        all,
        own == null || own == 0 ? readTimeout : Duration.ofSeconds(own),
        deadline,
        space);
  }
}
