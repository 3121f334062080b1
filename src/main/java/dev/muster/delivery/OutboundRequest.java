package dev.muster.delivery;

import dev.muster.protocol.client.A2aRequest;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.ResponseMemoryAllocation;
import dev.muster.protocol.client.ResponseMemoryBudget;
import dev.muster.workspace.DeliveryTarget;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to a push agent, ready to be sent.
 *
 * @param idleTimeoutSeconds how long the agent may be silent within one response, in s; null or 0
 *     for the configured read timeout
 * @param headers the headers of the sender that are passed to the agent
 */
@SuppressWarnings("ArrayRecordComponent") // up to 16 MiB: passed on, never compared
record OutboundRequest(
    DeliveryTarget target,
    @Nullable Integer idleTimeoutSeconds,
    Sender sender,
    byte[] body,
    Map<String, String> headers,
    Deadline deadline) {

  private static final String SENDER = "X-Source-Workspace-Id";

  /** Allocates memory for the response, from the shares of its target and its sender. */
  ResponseMemoryAllocation openSpace(ResponseMemoryBudget answers) {
    return answers.open(target.id(), sender.owner());
  }

  /**
   * Builds the request; the agent's own idle timeout, if set, replaces {@code readTimeout}
   * (docs/api.md, section 4).
   */
  A2aRequest request(Duration readTimeout, ResponseMemoryAllocation space) {
    Map<String, String> all = new HashMap<>(headers);
    @Nullable UUID senderId = sender.workspaceId();
    if (senderId != null) {
      all.put(SENDER, senderId.toString());
    }
    @Nullable Integer own = idleTimeoutSeconds;
    return new A2aRequest(
        target.id().toString(),
        target.url(),
        body,
        all,
        own == null || own == 0 ? readTimeout : Duration.ofSeconds(own),
        deadline,
        space);
  }
}
