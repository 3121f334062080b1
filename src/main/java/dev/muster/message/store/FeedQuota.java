package dev.muster.message.store;

import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Bounds the unread rows of a feed and their bytes (R6.7a). Read rows are those that the agent
 * acknowledged, polled past or received by delivery, and deleted ones. Rows that an agent writes
 * into its own feed and never reads are unread.
 *
 * <p>A head counts from the position of its last recount. The read position is looked up only when
 * the feed seems full, so an append usually needs no further query.
 */
@Component
class FeedQuota {

  /** Restarts the count of a locked feed after its last read row. */
  private static final String RECOUNT =
      """
      UPDATE activity_feeds f SET
          version = f.version + 1,
          quota_seq = coalesce(unread.seq - 1, f.last_seq),
          quota_bytes = greatest(
              f.quota_bytes,
              CASE WHEN unread.seq IS NULL THEN f.total_bytes ELSE unread.feed_bytes END)
      FROM (
          SELECT h.workspace_id, next.seq, next.feed_bytes
          FROM activity_feeds h
          CROSS JOIN LATERAL (
              SELECT greatest(h.quota_seq, h.read_seq, h.last_acked_seq, (
                  SELECT o.seq FROM delivery_outcomes o
                  WHERE o.workspace_id = h.workspace_id
                  ORDER BY o.seq DESC
                  LIMIT 1)) AS seq) AS read
          LEFT JOIN LATERAL (
              SELECT l.seq, l.feed_bytes FROM activity_logs l
              WHERE l.workspace_id = h.workspace_id AND l.seq > read.seq
              ORDER BY l.seq
              LIMIT 1) AS next ON true
          WHERE h.workspace_id = :workspace_id) AS unread
      WHERE f.workspace_id = unread.workspace_id
      """;

  private static final String UNREAD =
      """
      SELECT last_seq - quota_seq AS unread_rows, total_bytes - quota_bytes AS unread_bytes
      FROM activity_feeds WHERE workspace_id = :workspace_id
      """;

  private final JdbcClient db;
  private final int maxRows;
  private final long maxBytes;

  FeedQuota(JdbcClient db, ActivitySettings settings) {
    this.db = db;
    this.maxRows = settings.feedMaxRows();
    this.maxBytes = settings.feedMaxBytes().toBytes();
  }

  int maxRows() {
    return maxRows;
  }

  long maxBytes() {
    return maxBytes;
  }

  /**
   * Tells whether the quota applies to a row if it stays in the feed: not to rows of source {@code
   * system}. Rows with a delivery have bounds of their own; {@link AppendStatement} leaves them
   * out. The first unread row always fits.
   */
  static boolean bounds(NewActivity row) {
    return row.source() != ActivitySource.SYSTEM;
  }

  /** Counts the unread rows again; the transaction must have locked the feed. */
  void recount(UUID workspaceId) {
    db.sql(RECOUNT).param("workspace_id", workspaceId).update();
  }

  /** Builds the refusal of a row. Its text is for the agent that writes into its own feed. */
  AppendResult.FeedFull full(UUID workspaceId) {
    return db.sql(UNREAD)
        .param("workspace_id", workspaceId)
        .query((row, n) ->
            new AppendResult.FeedFull(
                "the feed of %s is full: %d unread rows of %d bytes (expected: at most %d rows and %d bytes);"
                        .formatted(
                            workspaceId,
                            row.getLong("unread_rows"),
                            row.getLong("unread_bytes"),
                            maxRows,
                            maxBytes)
                    + " poll on with since_id, or acknowledge what is handled, then try again"))
        .single();
  }
}
