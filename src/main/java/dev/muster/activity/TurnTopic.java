package dev.muster.activity;

import java.util.UUID;

/** What those wait for who want to know how a turn with this workspace's agent ends. */
public record TurnTopic(UUID workspaceId) {}
