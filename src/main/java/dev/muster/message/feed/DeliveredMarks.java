package dev.muster.message.feed;

import dev.muster.message.store.FeedNotifier;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.WorkspaceListener;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Marks in a feed's head up to where all messages were delivered by push, so that polls without a
 * cursor start there (R6.3). An agent that polls from now on may have a million of them. The marks
 * move in the background, some thousand rows at a time, when an agent begins to poll or such a poll
 * has found nothing else in as many rows.
 */
@Component
class DeliveredMarks implements WorkspaceListener {

  private record Move(boolean hasMoved, boolean hasMore) {}

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /**
   * Moves the mark of one feed past up to {@code :most} messages. A message that was delivered
   * stays so, therefore one look at it is enough.
   */
  static final String MOVE =
      """
      WITH feed AS MATERIALIZED (
          SELECT greatest(delivered_seq, last_acked_seq) AS seq, last_seq
          FROM activity_feeds WHERE workspace_id = :workspace_id),
      next AS MATERIALIZED (
          SELECT found.seq FROM feed CROSS JOIN unnest('{c,p,s}'::text[]) AS c (letter) CROSS JOIN LATERAL (
              SELECT l.seq FROM activity_logs l
              WHERE l.workspace_id = :workspace_id
                  AND (l.class, l.seq) > (c.letter::"char", feed.seq)
                  AND (l.class, l.seq) <= (c.letter::"char", feed.last_seq)
              ORDER BY l.class, l.seq LIMIT (SELECT :most)) AS found
          ORDER BY found.seq LIMIT (SELECT :most)),
      examined AS (
          SELECT count(*) AS rows, max(seq) AS last, min(seq) FILTER (WHERE is_delivered IS NOT TRUE) AS open
          FROM (
              SELECT next.seq, (
                  SELECT o.owner IS NOT NULL AND o.state = 'answered' FROM delivery_outcomes o
                  WHERE o.workspace_id = :workspace_id AND o.seq = next.seq) AS is_delivered
              FROM next) AS looked_up)
      UPDATE activity_feeds f
      SET delivered_seq = greatest(
          f.delivered_seq,
          coalesce(examined.open - 1, CASE WHEN examined.rows = :most THEN examined.last ELSE feed.last_seq END))
      FROM feed CROSS JOIN examined
      WHERE f.workspace_id = :workspace_id
      RETURNING f.delivered_seq > feed.seq AS has_moved, examined.open IS NULL AND examined.rows = :most AS has_more
      """;

  private final JdbcClient db;
  private final FeedNotifier notifier;
  private final Set<UUID> behind = ConcurrentHashMap.newKeySet();

  /** Those of {@link #behind} whose polls are to be woken. */
  private final Set<UUID> moved = new HashSet<>();

  private final FailingUnits failing;
  private final BackgroundLoop loop;

  DeliveredMarks(
      JdbcClient db, FeedNotifier notifier, MeterRegistry metrics, BackgroundLoops loops) {
    this.db = db;
    this.notifier = notifier;
    this.failing = new FailingUnits("delivered-marks", metrics);
    this.loop = loops.start("delivered-marks", INTERVAL, this::moveAll);
  }

  @Override
  public void deliveryModeChanged(UUID workspaceId, DeliveryMode mode) {
    if (mode == DeliveryMode.POLL) {
      AfterCommit.run(() -> catchUp(workspaceId));
    }
  }

  /**
   * Moves the mark of a feed as far as possible in the background, and wakes its polls. They are
   * not woken for nothing: a message in delivery may be next, and polls find nothing until it ends.
   */
  void catchUp(UUID workspaceId) {
    behind.add(workspaceId);
    loop.wake();
  }

  /** Moves all marks in turns, so that a long feed does not delay the others. */
  private void moveAll() {
    boolean hasMore;
    do {
      hasMore = false;
      for (UUID workspaceId : Set.copyOf(behind)) {
        hasMore |=
            failing.run(workspaceId, () -> moveOnce(workspaceId)) && behind.contains(workspaceId);
      }
    } while (hasMore);
  }

  private void moveOnce(UUID workspaceId) {
    Move move = move(workspaceId);
    if (move.hasMoved()) {
      moved.add(workspaceId);
    }
    if (!move.hasMore()) {
      behind.remove(workspaceId);
      if (moved.remove(workspaceId)) {
        notifier.feedsChanged(Set.of(workspaceId));
      }
    }
  }

  private Move move(UUID workspaceId) {
    return db.sql(MOVE)
        .param("workspace_id", workspaceId)
        .param("most", FeedPages.MAX_EXAMINED_WITH_OUTCOME)
        .query((row, n) -> new Move(row.getBoolean("has_moved"), row.getBoolean("has_more")))
        .optional()
        .orElse(new Move(false, false));
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
