package dev.muster.agent;

/**
 * What the platform says of the agent's own workspace.
 *
 * @param status such as {@code online}, {@code degraded} or {@code paused}
 * @param deleted it is removed, or was never there: an agent has nothing left to do
 */
public record WorkspaceState(String status, boolean paused, boolean deleted) {}
