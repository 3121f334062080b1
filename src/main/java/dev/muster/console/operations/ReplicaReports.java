package dev.muster.console.operations;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.muster.platform.log.ServerVersion;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.ReplicaName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import jakarta.annotation.PreDestroy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Stores a report about this replica every ten seconds. So each replica can list all replicas. */
@Component
class ReplicaReports {

  static final Duration INTERVAL = Duration.ofSeconds(10);

  /** A killed replica stays in the list for this long, so that operators see that it is gone. */
  private static final String DELETE_OLD =
      "DELETE FROM replica_reports WHERE seen_at < statement_timestamp() - interval '1 hour'";

  private static final String REPORT =
      """
      INSERT INTO replica_reports (replica, version, started_at, seen_at, heartbeats_s, streams,
          connections_used, connections_max, commit_p99_ms)
      VALUES (:replica, :version, statement_timestamp(), statement_timestamp(), :heartbeats_s, :streams, :used, :max,
          :commit_p99_ms)
      ON CONFLICT (replica) DO UPDATE SET seen_at = excluded.seen_at, heartbeats_s = excluded.heartbeats_s,
          streams = excluded.streams, connections_used = excluded.connections_used,
          commit_p99_ms = excluded.commit_p99_ms
      """;

  private static final String DELETE = "DELETE FROM replica_reports WHERE replica = :replica";

  private static final String ALL =
      """
      SELECT replica, version, started_at, seen_at, heartbeats_s, streams, connections_used, connections_max,
          commit_p99_ms, seen_at < statement_timestamp() - interval '30 seconds' AS silent
      FROM replica_reports ORDER BY started_at, replica
      """;

  private static final String HEAD = "SELECT last_seq FROM api_event_head";

  /**
   * A replica, from its last report.
   *
   * @param commitP99Ms the p99 of its slowest kind of commit since the report before; null without
   *     a commit
   * @param silent whether it has missed three reports, because it was killed or cannot reach the
   *     database
   */
  record Replica(
      String name,
      String version,
      Instant startedAt,
      Instant seenAt,
      double heartbeatsS,
      int streams,
      int connectionsUsed,
      int connectionsMax,
      @Nullable Double commitP99Ms,
      boolean silent) {}

  private final JdbcClient db;
  private final HikariDataSource pool;
  private final MeterRegistry metrics;
  private final CommitLatency commits;
  private final String name;
  private final String version;
  private final BackgroundLoop loop;
  private long countedAt = System.nanoTime();
  private double heartbeats;
  private long events = -1;
  private volatile double eventsPerSecond;

  ReplicaReports(
      JdbcClient db,
      HikariDataSource pool,
      MeterRegistry metrics,
      ReplicaName replica,
      ServerVersion version,
      BackgroundLoops loops) {
    this.db = db;
    this.pool = pool;
    this.metrics = metrics;
    this.commits = new CommitLatency(metrics);
    this.name = replica.name();
    this.version = version.text();
    this.loop = loops.start("replica-report", INTERVAL, this::report);
  }

  private void report() {
    long now = System.nanoTime();
    double seconds = Math.max(1e-3, (now - countedAt) / 1e9);
    double counted = sum("muster.heartbeats");
    long head = db.sql(HEAD).query(Long.class).single();
    double rate = Math.max(0, counted - heartbeats) / seconds;
    eventsPerSecond = events < 0 ? 0 : Math.max(0, head - events) / seconds;
    countedAt = now;
    heartbeats = counted;
    events = head;
    @Nullable HikariPoolMXBean connections = pool.getHikariPoolMXBean();
    db.sql(REPORT)
        .param("replica", name)
        .param("version", version)
        .param("heartbeats_s", rate)
        .param("streams", (int) sum("muster.streams"))
        .param("used", connections == null ? 0 : connections.getActiveConnections())
        .param("max", pool.getMaximumPoolSize())
        .param("commit_p99_ms", commits.p99Ms())
        .update();
    db.sql(DELETE_OLD).update();
  }

  /** Returns the sum of a counter or gauge over all its labels. */
  private double sum(String meter) {
    Search found = metrics.find(meter);
    return found.counters().stream().mapToDouble(one -> one.count()).sum()
        + found.gauges().stream().mapToDouble(one -> one.value()).sum();
  }

  /** Returns the name of this replica. */
  String name() {
    return name;
  }

  /**
   * Returns the recorded events per second of all replicas, between the last two reports of this
   * one.
   */
  double eventsPerSecond() {
    return eventsPerSecond;
  }

  /** Returns all replicas that have reported within an hour, oldest first. */
  List<Replica> all() {
    return db.sql(ALL).query((row, n) -> replica(row)).list();
  }

  private static Replica replica(ResultSet row) throws SQLException {
    return new Replica(
        row.getString("replica"),
        row.getString("version"),
        Timestamps.instant(row, "started_at"),
        Timestamps.instant(row, "seen_at"),
        row.getDouble("heartbeats_s"),
        row.getInt("streams"),
        row.getInt("connections_used"),
        row.getInt("connections_max"),
        row.getObject("commit_p99_ms", Double.class),
        row.getBoolean("silent"));
  }

  @PreDestroy
  void close() {
    loop.close();
    try {
      db.sql(DELETE).param("replica", name).update();
    } catch (RuntimeException outage) {
      // the row is deleted after an hour by another replica
    }
  }
}
