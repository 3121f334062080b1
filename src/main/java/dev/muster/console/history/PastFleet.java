package dev.muster.console.history;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.console.fleet.BinaryAnswer;
import dev.muster.console.fleet.FleetWorkspace;
import dev.muster.console.fleet.SnapshotColumns;
import dev.muster.console.fleet.SnapshotColumns.State;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the fleet as it was at a time, and the status changes between two times. Names, parents and
 * roles are those of today: the history has only ids.
 */
@Component
class PastFleet {

  /** Above the pool's limit of 3 s, because a large fleet on a busy database takes longer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final int FETCH_SIZE = 5000;

  /** Reading all names takes longer than the statuses of a time, and they rarely change. */
  private static final Duration NAMES_KEPT = Duration.ofSeconds(30);

  /** About 80 MB; a larger fleet is read each time. */
  private static final int MAX_NAMES_KEPT = 300_000;

  private static final String ALL_NAMES = "all";

  /** The most changes in one response. */
  static final int MAX_CHANGES = 500_000;

  /** Workspaces that were created after {@code :at} have no status. */
  static final String AT =
      """
      SELECT workspace_id, floor(date_part('epoch', since))::bigint AS since_s, status, degraded_reason, error
      FROM open_status_periods
      WHERE since <= :at
      UNION ALL
      SELECT workspace_id, floor(date_part('epoch', since))::bigint, status, degraded_reason, error
      FROM ended_status_periods
      WHERE tstzrange(since, until) @> :at::timestamptz
      UNION ALL
      SELECT workspace_id, floor(date_part('epoch', :at::timestamptz))::bigint, NULL, NULL, NULL
      FROM open_status_periods
      WHERE previous IS NULL AND since > :at AND since <= :to
      UNION ALL
      SELECT workspace_id, floor(date_part('epoch', :at::timestamptz))::bigint, NULL, NULL, NULL
      FROM ended_status_periods
      WHERE previous IS NULL AND until > since AND since > :at AND since <= :to
      """;

  /**
   * Each change is the begin of a period. Leaves out periods of no length, unless they are a
   * removal; so a workspace has one change at a time. Times are rounded up to milliseconds, so that
   * a change is visible at a millisecond when it had happened by then. The product is not exact: a
   * time of whole milliseconds can come out a little larger, and would be rounded up. So 0.0001 ms
   * is subtracted first, less than the microseconds of which the times consist.
   *
   * <p>The conditions stand outside: so both tables are read in order, and only the open periods
   * are sorted.
   */
  static final String CHANGES =
      """
      SELECT workspace_id,
          ceil(date_part('epoch', since - :from::timestamptz) * 1000 - 0.0001)::bigint AS at_ms,
          previous, status, degraded_reason, error
      FROM (
          SELECT workspace_id, since, until, previous, status, degraded_reason, error FROM ended_status_periods
          UNION ALL
          SELECT workspace_id, since, NULL, previous, status, degraded_reason, error FROM open_status_periods
      ) AS periods
      WHERE since > :from AND since <= :to
          AND (until IS NULL OR until > since OR (status = 'removed' AND previous IS NOT NULL))
      ORDER BY since
      LIMIT :most
      """;

  /** The first period is the one that the workspace was in at {@code :from}. */
  private static final String OF_WORKSPACE =
      """
      SELECT * FROM (
          SELECT workspace_id, seq, since, until, previous, status, degraded_reason, error FROM ended_status_periods
          WHERE workspace_id = :id
              AND since < :to
              AND until > :from
              AND until > since
              AND since >= coalesce(
                  (SELECT max(since) FROM ended_status_periods WHERE workspace_id = :id AND since <= :from),
                  '-infinity')
          UNION ALL
          SELECT workspace_id, seq, since, NULL, previous, status, degraded_reason, error FROM open_status_periods
          WHERE workspace_id = :id AND since < :to
          ORDER BY since DESC, seq DESC
          LIMIT :most) AS newest
      ORDER BY since, seq
      """;

  private static final String NAMES_OF_ALL = FleetWorkspace.SELECT + "ORDER BY created_at, id";

  private static final String NAMES_OF_SOME =
      FleetWorkspace.SELECT + "WHERE id = ANY (:ids) ORDER BY created_at, id";

  /** What workspaces are called today: in the order of creation, and the place of each in it. */
  private record Names(List<FleetWorkspace> all, Map<UUID, Integer> places) {

    static Names of(List<FleetWorkspace> all) {
      Map<UUID, Integer> places = HashMap.newHashMap(all.size());
      for (int i = 0; i < all.size(); i++) {
        places.put(all.get(i).id(), i);
      }
      return new Names(all, places);
    }
  }

  private final JdbcClient db;
  private final Cache<String, Names> names =
      Caffeine.newBuilder()
          .expireAfterWrite(NAMES_KEPT)
          .maximumWeight(MAX_NAMES_KEPT)
          .weigher((String key, Names kept) -> kept.all().size())
          .build();

  private final StatementTimeouts timeouts;
  private final JsonMapper json;
  private final TransactionTemplate transaction;
  private final WholeReads reads;

  PastFleet(
      JdbcClient db,
      StatementTimeouts timeouts,
      JsonMapper json,
      WholeReads reads,
      PlatformTransactionManager transactions) {
    this.db = db;
    this.timeouts = timeouts;
    this.json = json;
    this.reads = reads;
    this.transaction = new TransactionTemplate(transactions);
    this.transaction.setReadOnly(true);
    this.transaction.setTimeout((int) TIMEOUT.toSeconds());
  }

  /**
   * Returns the fleet at a time in format MSF1. It includes workspaces that were created later,
   * until {@code to}.
   *
   * @param seq the number of the last event that the history includes
   */
  BinaryAnswer at(Instant at, Instant to, long seq, Owner owner) {
    return whole(
        owner,
        () -> {
          SnapshotColumns columns = new SnapshotColumns();
          readAt(at, to, columns);
          return columns;
        },
        columns -> columns.write(seq, at, json));
  }

  private void readAt(Instant at, Instant to, SnapshotColumns columns) {
    Names known = namesOfAll();
    @Nullable State[] states = new State[known.all().size()];
    Map<UUID, State> others = new HashMap<>();
    db.sql(AT)
        .param("at", Timestamps.utc(at))
        .param("to", Timestamps.utc(to))
        .withFetchSize(FETCH_SIZE)
        .query(row -> {
          UUID id = row.getObject(1, UUID.class);
          @Nullable Integer place = known.places().get(id);
          if (place == null) {
            others.putIfAbsent(id, state(row));
          } else if (states[place] == null) {
            states[place] = state(row);
          }
        });
    for (int i = 0; i < states.length; i++) {
      @Nullable State state = states[i];
      if (state != null) {
        columns.add(known.all().get(i), state);
      }
    }
    for (FleetWorkspace other : namesOf(others.keySet())) {
      columns.add(other, Objects.requireNonNull(others.get(other.id())));
    }
  }

  /** Returns the names of all that had a row within the last 30 s, removed ones too. */
  private Names namesOfAll() {
    return Objects.requireNonNull(names.get(ALL_NAMES, _ -> readNames()));
  }

  private Names readNames() {
    List<FleetWorkspace> all = new ArrayList<>();
    db.sql(NAMES_OF_ALL)
        .withFetchSize(FETCH_SIZE)
        .query(row -> {
          all.add(FleetWorkspace.read(row));
        });
    return Names.of(all);
  }

  /**
   * Returns these workspaces in the order of creation, and last those that have no row, with an
   * empty name.
   */
  private List<FleetWorkspace> namesOf(Collection<UUID> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    List<FleetWorkspace> found =
        new ArrayList<>(
            db.sql(NAMES_OF_SOME)
                .param("ids", ids.toArray(UUID[]::new))
                .query((row, n) -> FleetWorkspace.read(row))
                .list());
    Set<UUID> without = new HashSet<>(ids);
    found.forEach(one -> without.remove(one.id()));
    without.stream()
        .sorted()
        .map(id -> new FleetWorkspace(id, null, "", null, "", 0, false))
        .forEach(found::add);
    return found;
  }

  /** Returns the status changes after {@code from} until {@code to}, in format MSC1. */
  BinaryAnswer changes(Instant from, Instant to, Owner owner) {
    return whole(
        owner,
        () -> {
          ChangeColumns columns = new ChangeColumns(from, to, MAX_CHANGES);
          db.sql(CHANGES)
              .param("from", Timestamps.utc(from))
              .param("to", Timestamps.utc(to))
              .param("most", MAX_CHANGES + 1)
              .withFetchSize(FETCH_SIZE)
              .query(row -> {
                columns.add(
                    row.getObject(1, UUID.class),
                    row.getLong(2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getString(6));
              });
          return columns;
        },
        columns -> columns.write(json));
  }

  /** Returns the newest {@code most} status periods of a workspace in a range, oldest first. */
  List<StatusPeriod> periodsOf(UUID workspaceId, Instant from, Instant to, int most) {
    return db.sql(OF_WORKSPACE)
        .param("id", workspaceId)
        .param("from", Timestamps.utc(from))
        .param("to", Timestamps.utc(to))
        .param("most", most)
        .query(StatusPeriod::read)
        .list();
  }

  private static State state(ResultSet row) throws SQLException {
    return new State(
        row.getString(3), row.getString(4), row.getString(5), row.getLong(2), null, 0, 0, null);
  }

  /** Reads in one transaction, and writes after it. */
  private <T> BinaryAnswer whole(Owner owner, Supplier<T> read, Function<T, BinaryAnswer> write) {
    return reads.run(
        owner,
        () ->
            write.apply(
                RequestDeadline.within(
                    TIMEOUT,
                    () ->
                        Objects.requireNonNull(
                            transaction.execute(status -> {
                              timeouts.allow(TIMEOUT);
                              return read.get();
                            })))));
  }
}
