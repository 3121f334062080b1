package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Lane;
import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.console.timeline.TimelineEntry.EntryCause;
import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineEntry.Refs;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the delegations that a workspace sent and received, by their creation. */
@Repository
@Order(3)
class DelegationSource implements TimelineSource {

  static final String PAGE =
      """
      SELECT * FROM (
          (SELECT id, delegation_id, false AS is_sent, caller_id AS peer_id, left(task_preview, 400) AS task, status,
              left(error_detail, 400) AS error_detail, parent_delegation_id, terminal_status, created_at, updated_at
          FROM api_delegation_entry
          WHERE callee_id = :workspace_id AND (created_at, id) < (:before, :before_id)
          ORDER BY created_at DESC, id DESC LIMIT :limit)
          UNION ALL
          (SELECT id, delegation_id, true, callee_id, left(task_preview, 400), status,
              left(error_detail, 400), parent_delegation_id, terminal_status, created_at, updated_at
          FROM api_delegation_entry
          WHERE caller_id = :workspace_id AND (created_at, id) < (:before, :before_id)
          ORDER BY created_at DESC, id DESC LIMIT :limit)) AS both_sides
      ORDER BY created_at DESC, id DESC LIMIT :limit
      """;

  private final JdbcClient db;

  DelegationSource(JdbcClient db) {
    this.db = db;
  }

  @Override
  public Lane lane() {
    return Lane.DELEGATIONS;
  }

  @Override
  public Set<Kind> kinds() {
    return Set.of(Kind.DELEGATION);
  }

  @Override
  public List<Row> before(UUID workspaceId, Place place, int limit) {
    return db.sql(PAGE)
        .param("workspace_id", workspaceId)
        .param("before", Timestamps.utc(place.time()))
        .param("before_id", place.id())
        .param("limit", limit)
        .query(DelegationSource::row)
        .list();
  }

  @Override
  public Place placeOf(UUID workspaceId, Instant time) {
    return Place.of(time, new UUID(0, 0));
  }

  private static Row row(ResultSet row, int n) throws SQLException {
    Instant at = Timestamps.instant(row, "created_at");
    String id = row.getString("delegation_id");
    @Nullable String parent = row.getString("parent_delegation_id");
    @Nullable String error = row.getString("error_detail");
    return new Row(
        at,
        Place.of(at, row.getObject("id", UUID.class)),
        List.of(
            new TimelineEntry(
                at,
                Kind.DELEGATION,
                id,
                (row.getBoolean("is_sent") ? "to " : "from ") + TimelineEntry.PEER,
                row.getString("status"),
                error == null ? row.getString("task") : error,
                row.getString("terminal_status") == null
                    ? null
                    : Duration.between(at, Timestamps.instant(row, "updated_at")).toMillis(),
                new Refs(null, id, null, null, null, row.getObject("peer_id", UUID.class), null),
                parent == null ? null : new EntryCause(Kind.DELEGATION, parent, true))));
  }
}
