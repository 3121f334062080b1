package dev.muster.event;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * The last value of something that changes often and is not kept as an event (R10.1): a later one
 * of the same kind and workspace takes its place.
 */
public record LastValue(Kind kind, UUID workspaceId, Instant timestamp, Map<String, ?> payload) {

  /** The names are what clients read. */
  public enum Kind {
    WORKSPACE_HEARTBEAT,
    TASK_UPDATED
  }
}
