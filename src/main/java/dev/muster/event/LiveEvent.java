package dev.muster.event;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * Something that happened and is told to those who are connected, each once and in order, but not
 * kept as an event (R10.1): it has no number and cannot be replayed.
 */
public record LiveEvent(Kind kind, UUID workspaceId, Instant timestamp, Map<String, ?> payload) {

  /** The names are what clients read. */
  public enum Kind {
    ACTIVITY_LOGGED,
    AGENT_MESSAGE,
    USER_MESSAGE,
    A2A_RESPONSE,
    RUNTIME_EVENT,
    WORKSPACE_PROVISIONING
  }
}
