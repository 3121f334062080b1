package dev.muster.agent;

/**
 * Receives the result of each heartbeat, on the heartbeat thread. A slow listener delays the next
 * heartbeat. An exception of a listener is logged and does not end the loop.
 */
public interface HeartbeatListener {

  /** Called after an accepted heartbeat, with the workspace's status. */
  default void accepted(String workspaceStatus) {}

  /** Called after a failed heartbeat; the loop sends the next one after a back-off. */
  default void missed(Exception why) {}

  /** Called when the workspace is removed; the loop sends no more heartbeats. */
  default void removed(String reason) {}
}
