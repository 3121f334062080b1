package dev.muster.console.fleet;

import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.workspace.HierarchyCache;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads all workspaces together with the number of the newest event, in one snapshot of the
 * database. An event gets its number after its change is committed, so the snapshot includes the
 * change of each event up to that number.
 */
@Component
class FleetReader {

  /**
   * Above the pool's limit of 3 s, because reading a large fleet from a busy database takes longer.
   */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final int ROWS_IN_A_FETCH = 5000;

  private static final String HEAD =
      "SELECT last_seq, extract(epoch FROM now()) AS at FROM api_event_head";

  private static final String ALL =
      """
      SELECT w.id, w.parent_id, w.name, w.role, w.runtime, w.tier, b.status, b.degraded_reason,
          left(b.sample_error, 160), floor(extract(epoch FROM b.status_since))::bigint,
          floor(extract(epoch FROM b.last_heartbeat_at))::bigint, b.active_tasks,
          b.stalled::integer + CASE WHEN w.delivery_mode = 'push' THEN 2 ELSE 0 END + 4 * b.native_status::integer
              + CASE WHEN w.id IN (SELECT workspace_id FROM api_delivery_queue) THEN 16 ELSE 0 END
              + CASE WHEN b.restart_requested_at IS NOT NULL THEN 8 ELSE 0 END
      FROM api_workspace_fleet w JOIN api_workspace_status b ON b.workspace_id = w.id
      WHERE w.removed_at IS NULL
      ORDER BY w.created_at, w.id
      """;

  /** The flags that peers may see; the flag for queued messages is not among them. */
  private static final int FLAGS_FOR_PEERS = SnapshotColumns.PUSH | SnapshotColumns.STALLED;

  /** A snapshot in format MSF1 that includes all events up to {@code seq}. */
  @SuppressWarnings("ArrayRecordComponent") // several MiB: passed on, never compared
  record Snapshot(long seq, byte[] bytes) {}

  private record Head(long seq, Instant at) {}

  private final JdbcTemplate db;
  private final StatementTimeouts timeouts;
  private final HierarchyCache hierarchy;
  private final JsonMapper json;
  private final TransactionTemplate transaction;

  FleetReader(
      JdbcTemplate db,
      StatementTimeouts timeouts,
      HierarchyCache hierarchy,
      JsonMapper json,
      PlatformTransactionManager transactions) {
    this.db = db;
    this.timeouts = timeouts;
    this.hierarchy = hierarchy;
    this.json = json;
    this.transaction = new TransactionTemplate(transactions);
    this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    this.transaction.setReadOnly(true);
    this.transaction.setTimeout((int) TIMEOUT.toSeconds());
  }

  Snapshot read(FleetAudience audience) {
    return RequestDeadline.within(
        TIMEOUT, () -> Objects.requireNonNull(transaction.execute(status -> readAll(audience))));
  }

  private Snapshot readAll(FleetAudience audience) {
    timeouts.allow(TIMEOUT);
    Head head =
        Objects.requireNonNull(
            db.queryForObject(
                HEAD,
                (row, n) ->
                    new Head(
                        row.getLong(1), Instant.ofEpochMilli((long) (row.getDouble(2) * 1000)))));
    SnapshotColumns columns = new SnapshotColumns();
    @Nullable UUID self = audience.self();
    Set<UUID> peers = self == null ? Set.of() : Set.copyOf(hierarchy.peersOf(self));
    db.query(
        connection -> {
          var statement = connection.prepareStatement(ALL);
          statement.setFetchSize(ROWS_IN_A_FETCH);
          return statement;
        },
        row -> {
          UUID id = row.getObject(1, UUID.class);
          if (self == null || id.equals(self)) {
            columns.add(row(row, id));
          } else if (peers.contains(id)) {
            columns.add(forPeers(row(row, id)));
          }
        });
    return new Snapshot(head.seq(), columns.write(head.seq(), head.at(), json));
  }

  private static SnapshotColumns.Row row(ResultSet row, UUID id) throws SQLException {
    String error = row.getString(9);
    long lastHeartbeatS = row.getLong(11);
    @Nullable Long lastHeartbeat = row.wasNull() ? null : lastHeartbeatS;
    return new SnapshotColumns.Row(
        id,
        row.getObject(2, UUID.class),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getInt(6),
        row.getString(7),
        row.getString(8),
        error.isEmpty() ? null : error,
        row.getLong(10),
        lastHeartbeat,
        row.getInt(12),
        row.getInt(13));
  }

  private static SnapshotColumns.Row forPeers(SnapshotColumns.Row row) {
    return new SnapshotColumns.Row(
        row.id(),
        row.parentId(),
        row.name(),
        row.role(),
        row.runtime(),
        row.tier(),
        row.status(),
        null,
        null,
        row.sinceEpochS(),
        row.lastHeartbeatEpochS(),
        row.tasks(),
        row.flags() & FLAGS_FOR_PEERS);
  }
}
