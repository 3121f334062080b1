package dev.muster.activity;

import dev.muster.activity.FeedRow.Data;
import dev.muster.activity.FeedRow.PeerInfo;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A row as it is stored; bodies are {@code RawJson}, or {@code Truncated}. */
record StoredActivity(
    UUID id,
    UUID workspaceId,
    long seq,
    String activityType,
    ActivitySource source,
    @Nullable UUID sourceId,
    @Nullable UUID targetId,
    @Nullable String method,
    @Nullable String summary,
    @Nullable Object requestBody,
    @Nullable Object responseBody,
    @Nullable Object toolTrace,
    @Nullable Long durationMs,
    String status,
    @Nullable String errorDetail,
    @Nullable String messageId,
    @Nullable String delegationId,
    String text,
    @Nullable String attachments,
    @Nullable UUID peerId,
    Instant createdAt) {

  FeedRow shown(@Nullable PeerInfo peer) {
    return new FeedRow(
        id,
        workspaceId,
        seq,
        activityType,
        activityType,
        source,
        sourceId,
        targetId,
        method,
        summary,
        requestBody,
        responseBody,
        toolTrace,
        new Data(source, sourceId, text, messageId, delegationId),
        durationMs,
        status,
        errorDetail,
        createdAt,
        peer);
  }
}
