package dev.muster.agent;

import java.time.Instant;

/**
 * Receives the result of each heartbeat, on the heartbeat thread. A slow listener delays the next
 * heartbeat. An exception of a listener is logged and does not end the loop.
 */
public interface HeartbeatListener {

  /** Called after an accepted heartbeat, with the workspace's status. */
  default void accepted(String workspaceStatus) {}

  /**
   * Called after {@link #accepted}, with every heartbeat while a restart of the agent is requested.
   * The server stops asking when the agent registers again or its uptime starts over.
   *
   * @param at when the restart was requested, by the server's clock
   */
  default void restartRequested(Instant at) {}

  /** Called after a failed heartbeat; the loop sends the next one after a back-off. */
  default void missed(Exception why) {}

  /** Called when the workspace is removed; the loop sends no more heartbeats. */
  default void removed(String reason) {}
}
