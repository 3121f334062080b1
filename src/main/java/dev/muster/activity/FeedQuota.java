package dev.muster.activity;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Bounds the unread rows of a feed, and their bytes (R6.7a). Read is what the agent acknowledged,
 * what it polled after, what a delivery to it ended, and what is deleted; own rows of an agent that
 * never reads are unread.
 *
 * <p>A head counts from the position where the count last began; only when the feed seems to be
 * full is it looked up how far it is read, so an append usually asks for nothing.
 */
@Component
class FeedQuota {

  private static final int DEFAULT_MAX_ROWS = 100_000;
  private static final long DEFAULT_MAX_BYTES = 1L << 30;

  /**
   * Of a feed that is locked; {@code next_seq} is its first unread row, null when there is none.
   */
  private static final String FIRST_UNREAD =
      """
      SELECT next.seq AS next_seq, coalesce(next.feed_bytes, 0) AS feed_bytes
      FROM activity_feeds f
      CROSS JOIN LATERAL (
          SELECT greatest(f.quota_seq, f.read_seq, f.last_acked_seq, (
              SELECT l.seq FROM activity_turns t JOIN activity_logs l ON l.id = t.activity_id
              WHERE t.workspace_id = f.workspace_id ORDER BY t.turn_seq DESC LIMIT 1)) AS seq) AS read
      LEFT JOIN LATERAL (
          SELECT l.seq, l.feed_bytes FROM activity_logs l
          WHERE l.workspace_id = f.workspace_id AND l.seq > read.seq ORDER BY l.seq LIMIT 1) AS next ON true
      WHERE f.workspace_id = :workspace_id
      """;

  private record FirstUnread(@Nullable Long seq, long feedBytes) {}

  private final JdbcClient db;
  private final int maxRows;
  private final long maxBytes;

  FeedQuota(JdbcClient db, Settings settings) {
    this.db = db;
    this.maxRows = settings.tuning("FEED_MAX_ROWS", DEFAULT_MAX_ROWS, Values::positiveInt);
    this.maxBytes = settings.tuning("FEED_MAX_BYTES", DEFAULT_MAX_BYTES, Values::bytes);
  }

  /**
   * What the control plane itself says is always stored, and what has a place in the queue or at
   * the agent, which have bounds of their own. One row alone always fits.
   */
  boolean hasRoom(FeedHead head, NewActivity row, RowSize size) {
    return row.source() == ActivitySource.SYSTEM
        || row.companion() != null
        || head.unreadRows() == 0
        || (head.unreadRows() < maxRows && size.whole() <= maxBytes - head.unreadBytes());
  }

  /**
   * Counts anew.
   *
   * @param locked the head as the database has it
   * @param moved the same after the rows that this transaction is yet to insert
   */
  FeedHead countAnew(FeedHead locked, FeedHead moved) {
    FirstUnread first = firstUnread(locked.workspaceId());
    return first.seq() == null
        ? moved.countedFrom(locked.lastSeq(), locked.totalBytes())
        : moved.countedFrom(first.seq() - 1, Math.max(locked.quotaBytes(), first.feedBytes()));
  }

  private FirstUnread firstUnread(UUID workspaceId) {
    return db.sql(FIRST_UNREAD)
        .param("workspace_id", workspaceId)
        .query((row, n) ->
            new FirstUnread(row.getObject("next_seq", Long.class), row.getLong("feed_bytes")))
        .single();
  }

  /** What a client is told who writes into its own feed. */
  Appended.FeedFull full(FeedHead head) {
    return new Appended.FeedFull(
        "the feed of %s is full: %d unread rows of %d bytes (expected: at most %d rows and %d bytes);"
                .formatted(
                    head.workspaceId(), head.unreadRows(), head.unreadBytes(), maxRows, maxBytes)
            + " poll on with since_id, or acknowledge what is handled, then try again");
  }
}
