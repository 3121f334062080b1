package dev.muster.activity;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Bounds the unread rows of a feed, and their bytes (R6.7a). Read is what the agent acknowledged,
 * what it polled after, what was delivered to it, and what is deleted; own rows of an agent that
 * never reads are unread.
 *
 * <p>A head counts from the position where the count last began; only when the feed seems to be
 * full is it looked up how far it is read, so an append usually asks for nothing.
 */
@Component
class FeedQuota {

  private static final int DEFAULT_MAX_ROWS = 100_000;
  private static final long DEFAULT_MAX_BYTES = 1L << 30;

  /** Of a feed that is locked: unread rows are counted from behind the last one that is read. */
  private static final String COUNT_ANEW =
      """
      UPDATE activity_feeds f SET version = f.version + 1, quota_seq = coalesce(unread.seq - 1, f.last_seq),
          quota_bytes = greatest(f.quota_bytes, CASE WHEN unread.seq IS NULL THEN f.total_bytes ELSE unread.feed_bytes END)
      FROM (
          SELECT h.workspace_id, next.seq, next.feed_bytes
          FROM activity_feeds h
          CROSS JOIN LATERAL (
              SELECT greatest(h.quota_seq, h.read_seq, h.last_acked_seq, (
                  SELECT o.seq FROM delivery_outcomes o
                  WHERE o.workspace_id = h.workspace_id ORDER BY o.seq DESC LIMIT 1)) AS seq) AS read
          LEFT JOIN LATERAL (
              SELECT l.seq, l.feed_bytes FROM activity_logs l
              WHERE l.workspace_id = h.workspace_id AND l.seq > read.seq ORDER BY l.seq LIMIT 1) AS next ON true
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

  FeedQuota(JdbcClient db, Settings settings) {
    this.db = db;
    this.maxRows = settings.tuning("FEED_MAX_ROWS", DEFAULT_MAX_ROWS, Values::positiveInt);
    this.maxBytes = settings.tuning("FEED_MAX_BYTES", DEFAULT_MAX_BYTES, Values::bytes);
  }

  int maxRows() {
    return maxRows;
  }

  long maxBytes() {
    return maxBytes;
  }

  /**
   * Whether the row counts against the quota: what the control plane itself says is always stored,
   * and what has a place in the queue or at the agent, which have bounds of their own. One row
   * alone always fits.
   */
  static boolean bounds(NewActivity row) {
    return row.source() != ActivitySource.SYSTEM && row.delivery() == null;
  }

  /** In a transaction that has locked the feed. */
  void countAnew(UUID workspaceId) {
    db.sql(COUNT_ANEW).param("workspace_id", workspaceId).update();
  }

  /** The refusal of a row, for the agent that writes into its own feed. */
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
