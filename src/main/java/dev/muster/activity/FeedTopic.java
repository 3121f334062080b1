package dev.muster.activity;

import java.util.UUID;

/** What a poll of a feed waits for. */
record FeedTopic(UUID workspaceId) {}
