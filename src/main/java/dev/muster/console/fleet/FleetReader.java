package dev.muster.console.fleet;

import dev.muster.console.fleet.SnapshotColumns.State;
import dev.muster.platform.http.RequestDeadline;
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
import org.springframework.jdbc.core.simple.JdbcClient;
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

  private static final int FETCH_SIZE = 5000;

  private static final String HEAD =
      "SELECT last_seq, extract(epoch FROM now()) AS at FROM api_event_head";

  private static final String STATUSES =
      """
      SELECT workspace_id, status, degraded_reason, nullif(left(sample_error, 160), ''),
          floor(date_part('epoch', status_since))::bigint,
          floor(date_part('epoch', last_heartbeat_at))::bigint,
          active_tasks,
          stalled::integer
              + 4 * native_status::integer
              + CASE WHEN restart_requested_at IS NOT NULL THEN 8 ELSE 0 END
              + CASE WHEN workspace_id IN (SELECT workspace_id FROM api_message_queue) THEN 16 ELSE 0 END,
          floor(date_part('epoch', stalled_since))::bigint
      FROM api_workspace_status
      """;

  private static final String WORKSPACES =
      FleetWorkspace.SELECT + "WHERE removed_at IS NULL ORDER BY created_at, id";

  /** A snapshot in format MSF1 that includes all events up to {@code seq}. */
  record Snapshot(long seq, BinaryAnswer answer) {

    String etag() {
      return "\"" + seq + "\"";
    }
  }

  private record Head(long seq, Instant at) {}

  private final JdbcClient db;
  private final StatementTimeouts timeouts;
  private final HierarchyCache hierarchy;
  private final JsonMapper json;
  private final TransactionTemplate transaction;

  FleetReader(
      JdbcClient db,
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
    SnapshotColumns columns = new SnapshotColumns();
    Head head =
        RequestDeadline.within(
            TIMEOUT,
            () ->
                Objects.requireNonNull(transaction.execute(status -> readAll(audience, columns))));
    return new Snapshot(head.seq(), columns.write(head.seq(), head.at(), json));
  }

  private Head readAll(FleetAudience audience, SnapshotColumns to) {
    timeouts.allow(TIMEOUT);
    Head head =
        db.sql(HEAD)
            .query((row, n) ->
                new Head(row.getLong(1), Instant.ofEpochMilli((long) (row.getDouble(2) * 1000))))
            .single();
    @Nullable UUID self = audience.self();
    Set<UUID> peers = self == null ? Set.of() : Set.copyOf(hierarchy.peersOf(self));
    Map<UUID, State> states = states();
    db.sql(WORKSPACES)
        .withFetchSize(FETCH_SIZE)
        .query(row -> {
          FleetWorkspace workspace = FleetWorkspace.read(row);
          UUID id = workspace.id();
          State state = Objects.requireNonNull(states.get(id), "no status, which indicates a bug");
          if (self == null || id.equals(self)) {
            to.add(workspace, state);
          } else if (peers.contains(id)) {
            to.add(workspace, forPeers(state));
          }
        });
    return head;
  }

  private Map<UUID, State> states() {
    Map<UUID, State> states = new HashMap<>();
    db.sql(STATUSES)
        .withFetchSize(FETCH_SIZE)
        .query(row -> {
          states.put(
              row.getObject(1, UUID.class),
              new State(
                  row.getString(2),
                  row.getString(3),
                  row.getString(4),
                  row.getLong(5),
                  secondsOrNull(row, 6),
                  row.getInt(7),
                  row.getInt(8),
                  secondsOrNull(row, 9)));
        });
    return states;
  }

  /** Returns what peers may see; queued messages are not among it. */
  private static State forPeers(State state) {
    return new State(
        state.status(),
        null,
        null,
        state.sinceEpochS(),
        state.lastHeartbeatEpochS(),
        state.tasks(),
        state.flags() & SnapshotColumns.STALLED,
        state.stalledEpochS());
  }

  private static @Nullable Long secondsOrNull(ResultSet row, int column) throws SQLException {
    long seconds = row.getLong(column);
    return row.wasNull() ? null : seconds;
  }
}
