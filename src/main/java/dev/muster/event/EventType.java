package dev.muster.event;

/** The recorded events; the names are what clients read. */
public enum EventType {
  WORKSPACE_AWAITING_AGENT,
  WORKSPACE_ONLINE,
  WORKSPACE_DEGRADED,
  WORKSPACE_OFFLINE,
  WORKSPACE_PAUSED,
  WORKSPACE_UPDATED,
  WORKSPACE_REMOVED,
  AGENT_CARD_UPDATED,
  LIVENESS_SUSPENDED
}
