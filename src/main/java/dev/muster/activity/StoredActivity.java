package dev.muster.activity;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import dev.muster.activity.Appended.Stored;
import dev.muster.activity.FeedRow.Data;
import dev.muster.activity.FeedRow.PeerInfo;
import dev.muster.activity.FeedRow.Truncated;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent;
import java.sql.ResultSet;
import java.sql.SQLException;
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

  /** As it will be read, of a row without files and with small bodies. */
  static StoredActivity of(NewActivity row, Stored stored) {
    MessageContent content = row.content();
    return new StoredActivity(
        stored.id(),
        row.workspaceId(),
        stored.seq(),
        row.activityType(),
        row.source(),
        row.sourceId(),
        row.targetId(),
        row.method(),
        row.summary(),
        row.bodies().request(),
        row.bodies().response(),
        row.bodies().toolTrace(),
        row.result().durationMs(),
        row.result().status(),
        row.result().errorDetail(),
        partOf(content.messageId(), Text::clean),
        partOf(content.delegationId(), Text::clean),
        Text.clean(content.text()),
        null,
        row.workspaceId().equals(row.sourceId()) || row.sourceId() == null
            ? otherThan(row.workspaceId(), row.targetId())
            : row.sourceId(),
        RowId.createdAtOf(stored.id()));
  }

  private static @Nullable UUID otherThan(UUID workspaceId, @Nullable UUID id) {
    return workspaceId.equals(id) ? null : id;
  }

  /**
   * A document as it was read; {@code bytes} is the column of its size, which is there when the
   * document itself is too large to be read.
   */
  static @Nullable Object body(ResultSet row, String body, String bytes) throws SQLException {
    @Nullable String json = row.getString(body);
    if (json != null) {
      return new RawJson(json);
    }
    @Nullable Integer size = row.getObject(bytes, Integer.class);
    return size == null ? null : Truncated.of(size);
  }

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
