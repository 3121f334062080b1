package dev.muster.activity;

import java.util.UUID;

/** Names a row: whose feed, and its number there. */
public record ActivityKey(UUID workspaceId, long seq) {}
