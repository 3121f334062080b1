package dev.muster.runtime;

import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.Timestamps;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads and writes the segments, which hold the events of streams. */
@Repository
class SegmentRepository {

  private static final int MAX_PER_STREAM = 200;

  private static final BatchColumns<StreamSegment> COLUMNS =
      BatchColumns.<StreamSegment>none()
          .uuid("workspace_id", StreamSegment::workspaceId)
          .bigint("last_seq", StreamSegment::lastSeq)
          .integer("events", StreamSegment::events)
          .time("created_at", StreamSegment::createdAt)
          .text("body", StreamSegment::body);

  private static final String INSERT =
      """
      INSERT INTO runtime_segments ({NAMES})
      SELECT * FROM {ROWS}
      """
          .replace("{ROWS}", COLUMNS.unnest())
          .replace("{NAMES}", COLUMNS.names());

  /** The byte and event limits never exclude the first segment. */
  private static final String AFTER =
      """
      SELECT workspace_id, last_seq, events, created_at, body
      FROM (
          SELECT s.workspace_id, s.last_seq, s.events, s.created_at, s.body,
              sum(octet_length(s.body)) OVER streams - octet_length(s.body) AS bytes_before,
              sum(s.events) OVER streams - s.events AS events_before
          FROM unnest(:ids::uuid[], :afters::bigint[]) AS known (workspace_id, seq)
          CROSS JOIN LATERAL (
              SELECT one.workspace_id, one.last_seq, one.events, one.created_at, one.body FROM runtime_segments one
              WHERE one.workspace_id = known.workspace_id AND one.last_seq > known.seq
              ORDER BY one.last_seq LIMIT :max_of_a_stream) AS s
          WINDOW streams AS (ORDER BY s.created_at, s.workspace_id, s.last_seq)
      ) AS next
      WHERE bytes_before < :bytes AND events_before < :events
      ORDER BY created_at, workspace_id, last_seq
      """;

  private static final String HOLDS =
      """
      SELECT count(*) FROM (
          SELECT last_seq, events FROM runtime_segments WHERE workspace_id = :workspace_id AND last_seq >= :seq
          ORDER BY last_seq LIMIT 1) AS found
      WHERE last_seq - events < :seq
      """;

  private final JdbcClient db;
  private final JdbcTemplate batches;

  SegmentRepository(JdbcClient db, JdbcTemplate batches) {
    this.db = db;
    this.batches = batches;
  }

  void insert(List<StreamSegment> segments) {
    batches.update(
        INSERT,
        (PreparedStatement statement) -> {
          int _ = COLUMNS.bind(statement, 1, segments);
        });
  }

  /**
   * Returns the next segments that end after the given numbers, in order within each stream.
   *
   * @param known the last known event number per workspace
   * @param bytes limit over all streams together; at least one segment is returned if there is any
   * @param events limit over all streams together, as for {@code bytes}
   */
  List<StreamSegment> after(Map<UUID, Long> known, long bytes, long events) {
    List<Map.Entry<UUID, Long>> places = List.copyOf(known.entrySet());
    return db.sql(AFTER)
        .param("ids", places.stream().map(Map.Entry::getKey).toArray(UUID[]::new))
        .param("afters", places.stream().map(Map.Entry::getValue).toArray(Long[]::new))
        .param("max_of_a_stream", MAX_PER_STREAM)
        .param("bytes", bytes)
        .param("events", events)
        .query(SegmentRepository::segment)
        .list();
  }

  /** Returns whether the event with this number still exists. */
  boolean holds(UUID workspaceId, long seq) {
    return db.sql(HOLDS)
            .param("workspace_id", workspaceId)
            .param("seq", seq)
            .query(Long.class)
            .single()
        > 0;
  }

  private static StreamSegment segment(ResultSet row, int n) throws SQLException {
    return new StreamSegment(
        row.getObject("workspace_id", UUID.class),
        row.getLong("last_seq"),
        row.getInt("events"),
        Timestamps.instant(row, "created_at"),
        row.getString("body"));
  }
}
