package dev.muster.event;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * A live event: sent in order, once, to connected subscribers and not stored (R10.1).
 *
 * <p>It has no number and cannot be replayed.
 */
public record LiveEvent(Kind kind, UUID workspaceId, Instant timestamp, Map<String, ?> payload) {

  /** Kinds of live events; clients read the names. */
  public enum Kind {
    ACTIVITY_LOGGED,
    AGENT_MESSAGE,
    USER_MESSAGE,
    A2A_RESPONSE,
    RUNTIME_EVENT,
    WORKSPACE_PROVISIONING
  }
}
