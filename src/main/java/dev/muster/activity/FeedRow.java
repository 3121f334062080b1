package dev.muster.activity;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row as canvases and pollers read it, in one record (R6.6). A body is the JSON that was
 * stored, or {@link Truncated} in a list.
 */
record FeedRow(
    UUID id,
    UUID workspaceId,
    long seq,
    String activityType,
    String type,
    ActivitySource source,
    @Nullable UUID sourceId,
    @Nullable UUID targetId,
    @Nullable String method,
    @Nullable String summary,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object requestBody,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object responseBody,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object toolTrace,
    Data data,
    @Nullable Long durationMs,
    String status,
    @Nullable String errorDetail,
    Instant createdAt,
    @JsonUnwrapped @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable PeerInfo peerInfo) {

  /** What a poller hands to its agent. */
  record Data(
      ActivitySource source,
      @Nullable UUID sourceId,
      String text,
      @Nullable String messageId,
      @Nullable String delegationId) {}

  /** Stands in a list for a body that is too large for it; the row alone has it whole. */
  record Truncated(boolean truncated, int bytes) {

    static Truncated of(int bytes) {
      return new Truncated(true, bytes);
    }
  }

  /** Added for {@code include=peer_info}; the attachments as an array of JSON objects. */
  record PeerInfo(
      @Nullable String peerName,
      @Nullable String peerRole,
      @Nullable String agentCardUrl,
      RawJson attachments) {}
}
