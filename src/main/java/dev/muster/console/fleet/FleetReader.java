package dev.muster.console.fleet;

import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.workspace.HierarchyCache;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads all workspaces together with the number of the newest event, in one snapshot of the
 * database. An event gets its number after its change is committed, so the snapshot includes the
 * change of each event up to that number.
 *
 * <p>It scans each table and joins the rows here, which takes less time than a join in the
 * database.
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

  private static final String QUEUES = "SELECT DISTINCT workspace_id FROM api_delivery_queue";

  private static final String STATUSES =
      """
      SELECT workspace_id, status, degraded_reason, nullif(left(sample_error, 160), ''),
          floor(date_part('epoch', status_since))::bigint, floor(date_part('epoch', last_heartbeat_at))::bigint, active_tasks,
          stalled::integer + 4 * native_status::integer + CASE WHEN restart_requested_at IS NOT NULL THEN 8 ELSE 0 END
      FROM api_workspace_status
      """;

  private static final String WORKSPACES =
      """
      SELECT id, parent_id, name, role, runtime, tier, delivery_mode = 'push' FROM api_workspace_fleet
      WHERE removed_at IS NULL ORDER BY created_at, id
      """;

  /** The flags that peers may see; the flag for queued messages is not among them. */
  private static final int FLAGS_FOR_PEERS = SnapshotColumns.PUSH | SnapshotColumns.STALLED;

  /** A snapshot in format MSF1 that includes all events up to {@code seq}. */
  @SuppressWarnings("ArrayRecordComponent") // several MiB: passed on, never compared
  record Snapshot(long seq, byte[] bytes) {}

  private record Head(long seq, Instant at) {}

  private record Status(
      String status,
      @Nullable String reason,
      @Nullable String error,
      long sinceEpochS,
      @Nullable Long lastHeartbeatEpochS,
      int tasks,
      int flags) {}

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
    @Nullable UUID self = audience.self();
    Set<UUID> peers = self == null ? Set.of() : Set.copyOf(hierarchy.peersOf(self));
    Set<UUID> queues = Set.copyOf(db.queryForList(QUEUES, UUID.class));
    Map<UUID, Status> statuses = statuses();
    SnapshotColumns columns = new SnapshotColumns();
    each(
        WORKSPACES,
        row -> {
          UUID id = row.getObject(1, UUID.class);
          if (self == null || id.equals(self)) {
            columns.add(row(row, id, statuses, queues));
          } else if (peers.contains(id)) {
            columns.add(forPeers(row(row, id, statuses, queues)));
          }
        });
    return new Snapshot(head.seq(), columns.write(head.seq(), head.at(), json));
  }

  private Map<UUID, Status> statuses() {
    Map<UUID, Status> statuses = new HashMap<>();
    each(
        STATUSES,
        row -> {
          long lastHeartbeatS = row.getLong(6);
          @Nullable Long lastHeartbeat = row.wasNull() ? null : lastHeartbeatS;
          statuses.put(
              row.getObject(1, UUID.class),
              new Status(
                  row.getString(2),
                  row.getString(3),
                  row.getString(4),
                  row.getLong(5),
                  lastHeartbeat,
                  row.getInt(7),
                  row.getInt(8)));
        });
    return statuses;
  }

  private void each(String sql, RowCallbackHandler row) {
    db.query(
        connection -> {
          var statement = connection.prepareStatement(sql);
          statement.setFetchSize(ROWS_IN_A_FETCH);
          return statement;
        },
        row);
  }

  private static SnapshotColumns.Row row(
      ResultSet row, UUID id, Map<UUID, Status> statuses, Set<UUID> queues) throws SQLException {
    Status status = Objects.requireNonNull(statuses.get(id), "no status, which indicates a bug");
    int flags =
        (row.getBoolean(7) ? SnapshotColumns.PUSH : 0)
            | (queues.contains(id) ? SnapshotColumns.QUEUED : 0);
    return new SnapshotColumns.Row(
        id,
        row.getObject(2, UUID.class),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getInt(6),
        status.status(),
        status.reason(),
        status.error(),
        status.sinceEpochS(),
        status.lastHeartbeatEpochS(),
        status.tasks(),
        status.flags() | flags);
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
