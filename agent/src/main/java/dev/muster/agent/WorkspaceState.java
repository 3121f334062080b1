package dev.muster.agent;

/**
 * Holds the server's state of the agent's workspace.
 *
 * @param status such as {@code online}, {@code degraded} or {@code paused}
 * @param deleted whether the workspace is removed or never existed; the agent must end
 */
public record WorkspaceState(String status, boolean paused, boolean deleted) {}
