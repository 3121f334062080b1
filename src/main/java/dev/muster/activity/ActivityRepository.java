package dev.muster.activity;

import dev.muster.platform.json.RawJson;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.Pipeline;
import dev.muster.platform.text.Text;
import dev.muster.protocol.Attachment;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.json.JsonMapper;

/** Writes rows into feeds whose heads are locked; each statement in a pipeline. */
@Repository
class ActivityRepository {

  private static final String INSERT =
      """
      INSERT INTO activity_logs (
          id, workspace_id, seq, activity_type, source, source_id, target_id, method, summary,
          request_body, response_body, tool_trace, duration_ms, status, error_detail, message_id, delegation_id,
          message_text, attachments, request_bytes, response_bytes, trace_bytes, listed_bytes,
          message_key, content_hash, created_at, feed_bytes)
      SELECT * FROM unnest(
          ?::uuid[], ?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::uuid[], ?::uuid[], ?::text[], ?::text[],
          ?::json[], ?::json[], ?::json[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[],
          ?::text[], ?::json[], ?::integer[], ?::integer[], ?::integer[], ?::integer[],
          ?::bytea[], ?::bytea[], ?::timestamptz[], ?::bigint[])
      """;

  private static final String FIND_MESSAGES =
      """
      SELECT l.workspace_id, l.source_id, encode(l.message_key, 'hex') AS message_key, l.id, l.seq,
          encode(l.content_hash, 'hex') AS content_hash
      FROM unnest(?::uuid[], ?::uuid[], ?::bytea[]) AS wanted (workspace_id, sender_id, message_key)
      JOIN activity_logs l ON l.workspace_id = wanted.workspace_id AND l.message_key = wanted.message_key
          AND l.source_id IS NOT DISTINCT FROM wanted.sender_id
      """;

  private final JsonMapper json;

  ActivityRepository(JsonMapper json) {
    this.json = json;
  }

  void insert(Pipeline pipeline, List<PlacedActivity> rows) {
    pipeline.add(INSERT, columns -> bind(columns, rows));
  }

  private void bind(BatchColumns columns, List<PlacedActivity> rows) throws SQLException {
    columns.uuids(rows, PlacedActivity::id);
    columns.uuids(rows, r -> r.row().workspaceId());
    columns.longs(rows, PlacedActivity::seq);
    columns.texts(rows, r -> r.row().activityType());
    columns.texts(rows, r -> r.row().source().wire());
    columns.uuids(rows, r -> r.row().sourceId());
    columns.uuids(rows, r -> r.row().targetId());
    columns.texts(rows, r -> r.row().method());
    columns.texts(rows, r -> r.row().summary());
    columns.texts(rows, r -> text(r.row().bodies().request()));
    columns.texts(rows, r -> text(r.row().bodies().response()));
    columns.texts(rows, r -> text(r.row().bodies().toolTrace()));
    columns.longs(rows, r -> r.row().result().durationMs());
    columns.texts(rows, r -> r.row().result().status());
    columns.texts(rows, r -> r.row().result().errorDetail());
    columns.texts(rows, r -> clean(r.row().content().messageId()));
    columns.texts(rows, r -> clean(r.row().content().delegationId()));
    columns.texts(
        rows, r -> r.row().content().text().isEmpty() ? null : clean(r.row().content().text()));
    columns.texts(rows, r -> attachments(r.row().content().attachments()));
    columns.integers(rows, r -> r.size().request());
    columns.integers(rows, r -> r.size().response());
    columns.integers(rows, r -> r.size().toolTrace());
    columns.integers(rows, r -> r.size().listed());
    columns.bytes(rows, r -> bytes(r, MessageIdentity::key));
    columns.bytes(rows, r -> bytes(r, MessageIdentity::contentHash));
    columns.times(rows, PlacedActivity::createdAt);
    columns.longs(rows, PlacedActivity::feedBytes);
  }

  /**
   * Those of them that are in their feeds already. Asked under the locks of the feeds, the answer
   * is true until the transaction ends.
   */
  Supplier<Map<MessageName, KnownMessage>> findMessages(
      Pipeline pipeline, Collection<MessageName> wanted) {
    if (wanted.isEmpty()) {
      return Map::of;
    }
    List<MessageName> names = List.copyOf(wanted);
    var found =
        pipeline.query(
            FIND_MESSAGES,
            columns -> {
              columns.uuids(names, MessageName::workspaceId);
              columns.uuids(names, MessageName::senderId);
              columns.bytes(names, name -> MessageIdentity.bytes(name.key()));
            },
            (row, n) ->
                Map.entry(
                    new MessageName(
                        row.getObject("workspace_id", UUID.class),
                        row.getObject("source_id", UUID.class),
                        row.getString("message_key")),
                    new KnownMessage(
                        row.getObject("id", UUID.class),
                        row.getLong("seq"),
                        row.getString("content_hash"))));
    return () ->
        found.get().stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static byte @Nullable [] bytes(
      PlacedActivity placed, Function<MessageIdentity, String> hash) {
    @Nullable MessageIdentity identity = placed.row().identity();
    return identity == null ? null : MessageIdentity.bytes(hash.apply(identity));
  }

  private static @Nullable String text(@Nullable RawJson body) {
    return body == null ? null : body.text();
  }

  private static @Nullable String clean(@Nullable String text) {
    return text == null ? null : Text.clean(text);
  }

  private static Attachment clean(Attachment file) {
    return new Attachment(
        Text.clean(file.kind()),
        Text.clean(file.uri()),
        clean(file.mimeType()),
        clean(file.name()));
  }

  private @Nullable String attachments(List<Attachment> attachments) {
    return attachments.isEmpty()
        ? null
        : json.writeValueAsString(attachments.stream().map(ActivityRepository::clean).toList());
  }
}
