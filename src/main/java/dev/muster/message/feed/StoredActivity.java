package dev.muster.message.feed;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.muster.message.AppendResult.Stored;
import dev.muster.message.NewActivity;
import dev.muster.message.RowId;
import dev.muster.message.store.ActivitySource;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row as it is stored and shown (R6.6). A body is the stored {@link RawJson}, or {@link
 * Truncated} in a list.
 */
@JsonPropertyOrder({"id", "workspaceId", "seq", "activityType", "type"})
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
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object requestBody,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object responseBody,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object toolTrace,
    Data data,
    @Nullable Long durationMs,
    String status,
    @Nullable String errorDetail,
    Instant createdAt,
    @JsonIgnore @Nullable String attachments,
    @JsonIgnore @Nullable UUID peerId) {

  /**
   * The part of a row that a polling client hands to its agent.
   *
   * @param author the name of the person who sent it; null but for people
   */
  record Data(
      ActivitySource source,
      @Nullable UUID sourceId,
      String text,
      @Nullable String messageId,
      @Nullable String delegationId,
      @Nullable String author) {}

  /** Replaces a body that is too large for a list. A read of the single row has the whole body. */
  record Truncated(boolean truncated, int bytes) {

    static Truncated of(int bytes) {
      return new Truncated(true, bytes);
    }
  }

  /**
   * Returns the activity type for the field {@code type}, its second name (docs/api.md, section 6).
   */
  @JsonProperty
  String type() {
    return activityType;
  }

  /** Builds the row as it will be read. The row must have no files and only small bodies. */
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
        new Data(
            row.source(),
            row.sourceId(),
            Text.clean(content.text()),
            partOf(content.messageId(), Text::clean),
            partOf(content.delegationId(), Text::clean),
            partOf(row.author(), Text::clean)),
        row.result().durationMs(),
        row.result().status(),
        row.result().errorDetail(),
        RowId.createdAtOf(stored.id()),
        null,
        row.workspaceId().equals(row.sourceId()) || row.sourceId() == null
            ? otherThan(row.workspaceId(), row.targetId())
            : row.sourceId());
  }

  private static @Nullable UUID otherThan(UUID workspaceId, @Nullable UUID id) {
    return workspaceId.equals(id) ? null : id;
  }

  /**
   * Reads a document.
   *
   * @param bytes the column of its size; it yields {@link Truncated} if the statement left out a
   *     document that is too large
   */
  static @Nullable Object body(ResultSet row, String body, String bytes) throws SQLException {
    @Nullable String json = row.getString(body);
    if (json != null) {
      return new RawJson(json);
    }
    @Nullable Integer size = row.getObject(bytes, Integer.class);
    return size == null ? null : Truncated.of(size);
  }
}
