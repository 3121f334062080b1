package dev.muster.event;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * Holds the latest value of a frequently changing property (R10.1).
 *
 * <p>It is not stored as an event. A later value of the same kind and workspace replaces it.
 */
public record LastValue(Kind kind, UUID workspaceId, Instant timestamp, Map<String, ?> payload) {

  /** Kinds of last values; clients read the names. */
  public enum Kind {
    WORKSPACE_HEARTBEAT,
    TASK_UPDATED
  }
}
