package dev.muster.agent;

/**
 * Hears how the heartbeats go, on their thread: what takes long here delays the next one. What is
 * thrown here is logged and ends nothing.
 */
public interface HeartbeatListener {

  /** The platform heard a heartbeat; this is the workspace's status now. */
  default void heard(String workspaceStatus) {}

  /** A heartbeat did not get through; the next one follows by itself. */
  default void missed(Exception why) {}

  /** The workspace is removed: there are no heartbeats any more. */
  default void removed(String reason) {}
}
