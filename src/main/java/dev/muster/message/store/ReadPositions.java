package dev.muster.message.store;

import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Gatherers;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Keeps how far agents have read their feeds, by the cursors of their polls (R3.2). Positions stay
 * in memory and are written every 5 s if they changed, so that a poll writes nothing. If the server
 * ends before that, the agent's next poll reports the position again.
 */
@Component
public class ReadPositions {

  private static final Duration WRITE_INTERVAL = Duration.ofSeconds(5);
  private static final int BATCH_SIZE = 200;

  /**
   * Locks heads in id order, as all transactions do, which avoids deadlocks. Locked heads are
   * skipped until the next run.
   */
  private static final String WRITE =
      """
      WITH locked AS (
          SELECT f.workspace_id, moved.seq
          FROM activity_feeds f
          JOIN unnest(:ids::uuid[], :seqs::bigint[]) AS moved (workspace_id, seq) USING (workspace_id)
          ORDER BY f.workspace_id
          FOR NO KEY UPDATE OF f SKIP LOCKED)
      UPDATE activity_feeds f SET read_seq = greatest(f.read_seq, locked.seq)
      FROM locked WHERE f.workspace_id = locked.workspace_id
      RETURNING f.workspace_id, locked.seq
      """;

  private static final String WRITTEN =
      "SELECT greatest(read_seq, last_acked_seq, delivered_seq) FROM activity_feeds WHERE"
          + " workspace_id = :id";

  private final JdbcClient db;
  private final Map<UUID, Long> moved = new ConcurrentHashMap<>();
  private final FailingUnits failing;
  private final BackgroundLoop loop;

  ReadPositions(JdbcClient db, MeterRegistry metrics, BackgroundLoops loops) {
    this.db = db;
    this.failing = new FailingUnits("read-positions", metrics);
    this.loop = loops.start("read-positions", WRITE_INTERVAL, this::write);
  }

  /** Raises a position in memory; never lowers it. */
  public void move(UUID workspaceId, long seq) {
    moved.merge(workspaceId, seq, Math::max);
  }

  /** Writes the changed positions; those that fail stay for the next run. */
  public void write() {
    List.copyOf(moved.entrySet()).stream()
        .gather(Gatherers.windowFixed(BATCH_SIZE))
        .forEach(some -> failing.runAll(some, Map.Entry::getKey, this::write));
  }

  /**
   * Returns the position of a feed, or the acknowledged or delivered one if that is higher; 0 for a
   * feed without a head.
   */
  public long of(UUID workspaceId) {
    return Math.max(
        moved.getOrDefault(workspaceId, 0L),
        db.sql(WRITTEN).param("id", workspaceId).query(Long.class).optional().orElse(0L));
  }

  private void write(List<Map.Entry<UUID, Long>> some) {
    db.sql(WRITE)
        .param("ids", some.stream().map(Map.Entry::getKey).toArray(UUID[]::new))
        .param("seqs", some.stream().map(Map.Entry::getValue).toArray(Long[]::new))
        .query(row -> {
          moved.remove(row.getObject("workspace_id", UUID.class), row.getLong("seq"));
        });
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
