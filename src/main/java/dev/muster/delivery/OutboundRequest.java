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
 * A request on its way to an agent that is called.
 *
 * @param idleTimeoutSeconds how long the agent may be silent within one answer, if it said so
 * @param headers of the sender that the agent gets to see
 */
@SuppressWarnings("ArrayRecordComponent") // up to 16 MiB: handed on, never compared
record OutboundRequest(
    DeliveryTarget target,
    @Nullable Integer idleTimeoutSeconds,
    Sender sender,
    byte[] body,
    Map<String, String> headers,
    Deadline deadline) {

  private static final String SENDER = "X-Source-Workspace-Id";

  /** Where the answer finds its room: a share of its target's, and of its sender's. */
  ResponseMemoryAllocation openSpace(ResponseMemoryBudget answers) {
    return answers.open(target.id(), sender.owner());
  }

  /** {@code readTimeout} counts unless the agent has said how long it may be silent (section 4). */
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
