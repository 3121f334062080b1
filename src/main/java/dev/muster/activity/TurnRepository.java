package dev.muster.activity;

import dev.muster.platform.json.RawJson;
import dev.muster.platform.postgres.Pipeline;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

/** Puts the ends of turns on their rows, in feeds whose heads are locked. */
@Repository
class TurnRepository {

  private static final String END =
      """
      WITH ended AS (
          SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::bigint[], ?::boolean[], ?::json[], ?::integer[], ?::integer[],
              ?::text[], ?::text[], ?::bigint[])
              AS e (id, workspace_id, turn_seq, answered, response, response_bytes, more_bytes, status, error_detail, ms)),
      rows AS (
          UPDATE activity_logs l
          SET response_body = coalesce(e.response, l.response_body),
              response_bytes = coalesce(e.response_bytes, l.response_bytes),
              listed_bytes = l.listed_bytes + e.more_bytes,
              status = e.status, error_detail = e.error_detail, duration_ms = e.ms
          FROM ended e WHERE l.id = e.id
          RETURNING l.id)
      INSERT INTO activity_turns AS t (activity_id, workspace_id, turn_seq, answered)
      SELECT e.id, e.workspace_id, e.turn_seq, e.answered FROM ended e JOIN rows ON rows.id = e.id
      ON CONFLICT (activity_id) DO UPDATE SET turn_seq = excluded.turn_seq, answered = excluded.answered
      """;

  private static final String OPEN =
      """
      SELECT l.id FROM activity_logs l LEFT JOIN activity_turns t ON t.activity_id = l.id
      WHERE l.id = ANY (?) AND (t.answered IS NULL OR NOT t.answered)
      """;

  private final JdbcTemplate db;

  TurnRepository(JdbcTemplate db) {
    this.db = db;
  }

  /** Those of these rows that are there and have no answer yet. */
  Set<UUID> open(Collection<UUID> activityIds) {
    if (activityIds.isEmpty()) {
      return new HashSet<>();
    }
    return new HashSet<>(
        db.query(
            OPEN,
            statement ->
                statement.setArray(
                    1, statement.getConnection().createArrayOf("uuid", activityIds.toArray())),
            (row, n) -> row.getObject("id", UUID.class)));
  }

  void end(Pipeline pipeline, List<PlacedEnd> ends) {
    pipeline.add(
        END,
        columns -> {
          columns.uuids(ends, e -> e.end().activityId());
          columns.uuids(ends, e -> e.end().workspaceId());
          columns.longs(ends, PlacedEnd::turnSeq);
          columns.flags(ends, e -> e.end().isAnswered());
          columns.texts(ends, e -> text(e.end().response()));
          columns.integers(ends, e -> ListedSize.bytes(e.end().response()));
          columns.integers(ends, e -> ListedSize.of(e.end()));
          columns.texts(ends, e -> e.end().result().status());
          columns.texts(ends, e -> e.end().result().errorDetail());
          columns.longs(ends, e -> e.end().result().durationMs());
        });
  }

  private static @Nullable String text(@Nullable RawJson body) {
    return body == null ? null : body.text();
  }
}
