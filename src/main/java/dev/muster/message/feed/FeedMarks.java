package dev.muster.message.feed;

import dev.muster.message.RowId;
import dev.muster.message.feed.FeedPosition.Marks;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.BatchLimits;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.platform.postgres.BatchRetry;
import dev.muster.platform.postgres.GroupCommit;
import dev.muster.platform.postgres.HotStatements;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.workspace.DeliveryMode;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Reads the marks at which a feed read begins. Most polls need nothing else. Concurrent reads share
 * one statement, unless their query names a time.
 */
@Repository
class FeedMarks {

  private static final int BATCH_SIZE = 500;

  /**
   * Finds the last row before a time by binary search over {@code seq}. This is possible since
   * {@code created_at} rises with {@code seq}. Each step is one lookup in the primary key. Rows
   * below {@code low} are before the time; no row from {@code high} on is.
   */
  static final String MARKS_OF_TIMES =
      """
      WITH RECURSIVE feed AS (
          SELECT last_seq, last_acked_seq, read_seq, delivered_seq FROM activity_feeds WHERE workspace_id = :workspace_id),
      wanted (mark, before) AS (
          SELECT 1, now() - make_interval(secs => :secs::double precision)
          WHERE :secs::double precision IS NOT NULL
          UNION ALL
          SELECT 2, :before::timestamptz
          WHERE :before::timestamptz IS NOT NULL),
      halved (mark, before, low, high) AS (
          SELECT mark, before, 1::bigint, last_seq + 1 FROM wanted CROSS JOIN feed
          UNION ALL
          SELECT h.mark, h.before, CASE WHEN probe.created_at < h.before THEN probe.seq + 1 ELSE h.low END,
              CASE WHEN probe.created_at < h.before THEN h.high ELSE (h.low + h.high) / 2 END
          FROM halved h LEFT JOIN LATERAL (
              SELECT l.seq, l.created_at FROM activity_logs l
              WHERE l.workspace_id = :workspace_id AND l.seq >= (h.low + h.high) / 2 AND l.seq < h.high
              ORDER BY l.seq
              LIMIT 1) AS probe ON true
          WHERE h.low < h.high)
      SELECT last_seq, last_acked_seq, read_seq, delivered_seq,
          (SELECT delivery_mode FROM api_workspace_delivery WHERE id = :workspace_id) AS delivery_mode,
          (SELECT created_at FROM activity_logs
           WHERE workspace_id = :workspace_id AND seq = :since::bigint) AS since_at,
          (SELECT max(low) - 1 FROM halved WHERE mark = 1) AS aged,
          (SELECT max(low) - 1 FROM halved WHERE mark = 2) AS before
      FROM feed
      """;

  private static final BatchColumns<Asked> ASKED =
      BatchColumns.<Asked>none()
          .uuid("workspace_id", Asked::workspaceId)
          .bigint("since", Asked::sinceSeq);

  /** Only a read without a cursor depends on the delivery mode. */
  static final String MARKS =
      StablePlans.of(
          """
          SELECT f.workspace_id, f.last_seq, f.last_acked_seq, f.read_seq, f.delivered_seq, w.delivery_mode,
              l.created_at AS since_at
          FROM {ROWS} WITH ORDINALITY AS asked ({NAMES}, n)
          LEFT JOIN LATERAL (SELECT * FROM activity_feeds WHERE workspace_id = asked.workspace_id OFFSET 0) AS f ON true
          LEFT JOIN LATERAL (
              SELECT delivery_mode FROM api_workspace_delivery
              WHERE id = asked.workspace_id AND asked.since IS NULL OFFSET 0) AS w ON true
          LEFT JOIN LATERAL (
              SELECT created_at FROM activity_logs
              WHERE workspace_id = asked.workspace_id AND seq = asked.since OFFSET 0) AS l ON true
          ORDER BY asked.n
          """
              .replace("{ROWS}", ASKED.unnest())
              .replace("{NAMES}", ASKED.names()));

  private static final String POLL = DeliveryMode.POLL.wire();

  private record Asked(UUID workspaceId, @Nullable UUID since) {

    @Nullable Long sinceSeq() {
      return since == null ? null : RowId.seqOf(since);
    }
  }

  private final JdbcClient db;
  private final HotStatements hot;
  private final GroupCommit<Asked, Optional<Marks>> asked;

  FeedMarks(JdbcClient db, HotStatements hot, MeterRegistry metrics, BackgroundLoops loops) {
    this.db = db;
    this.hot = hot;
    this.asked =
        new GroupCommit<>(
            "feed-marks",
            Asked::workspaceId,
            BatchLimits.byWeight(one -> 1, BATCH_SIZE),
            this::read,
            loops,
            metrics);
  }

  /** Reads the marks that are committed at the call. Empty for a workspace without a feed. */
  Optional<Marks> of(UUID workspaceId, Optional<UUID> since, FeedQuery query) {
    Asked one = new Asked(workspaceId, since.orElse(null));
    return query.isBoundByTime() ? read(one, query) : asked.submit(one);
  }

  private Optional<Marks> read(Asked one, FeedQuery query) {
    return db.sql(MARKS_OF_TIMES)
        .param("workspace_id", one.workspaceId())
        .param("since", one.sinceSeq())
        .param("secs", query.sinceSecs().map(secs -> (double) secs.toSeconds()).orElse(null))
        .param("before", query.beforeTs().map(Timestamps::utc).orElse(null))
        .query((row, n) -> marks(row, one, row.getLong("aged"), row.getLong("before")))
        .optional();
  }

  private List<BatchOutcome<Optional<Marks>>> read(List<Asked> batch) {
    return BatchRetry.run(
        batch,
        some ->
            hot.read(statements -> read(statements, some)).stream()
                .<BatchOutcome<Optional<Marks>>>map(BatchOutcome.Done::new)
                .toList());
  }

  private static List<Optional<Marks>> read(JdbcTemplate db, List<Asked> batch) {
    return db.query(
        MARKS,
        statement -> {
          int _ = ASKED.bind(statement, 1, batch);
        },
        (row, n) ->
            row.getString("workspace_id") == null
                ? Optional.empty()
                : Optional.of(marks(row, batch.get(n), 0, 0)));
  }

  private static Marks marks(ResultSet row, Asked asked, long aged, long before)
      throws SQLException {
    return new Marks(
        row.getLong("last_seq"),
        row.getLong("last_acked_seq"),
        row.getLong("read_seq"),
        row.getLong("delivered_seq"),
        POLL.equals(row.getString("delivery_mode")),
        isCursorOf(row, asked) ? Optional.ofNullable(asked.sinceSeq()) : Optional.empty(),
        aged,
        before);
  }

  private static boolean isCursorOf(ResultSet row, Asked asked) throws SQLException {
    return asked.since() != null
        && row.getString("since_at") != null
        && RowId.of(
                asked.workspaceId(),
                RowId.seqOf(asked.since()),
                Timestamps.instant(row, "since_at"))
            .equals(asked.since());
  }

  @PreDestroy
  void close() {
    asked.close();
  }
}
