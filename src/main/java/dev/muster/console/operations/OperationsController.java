package dev.muster.console.operations;

import dev.muster.console.operations.ReplicaReports.Replica;
import dev.muster.heartbeat.LivenessSettings;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Pooler;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.postgres.Uptime;
import dev.muster.platform.settings.EffectiveSettings;
import dev.muster.platform.work.JobHistory;
import dev.muster.platform.work.JobHistory.JobRun;
import dev.muster.platform.work.RecurringJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the state of Muster itself and its settings. */
@RestController
class OperationsController {

  private static final String DATABASE =
      """
      SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,
          (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
           WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
               AND relname IN ('ended_status_periods', 'open_status_periods', 'fleet_minutes')) AS history_bytes,
          (SELECT created_at FROM api_event_recorded WHERE seq IS NOT NULL ORDER BY seq LIMIT 1) AS oldest_event_at
      """;

  /** The state of the control plane. */
  record Operations(
      Instant at,
      String replica,
      Instant upSince,
      Instant aliveUntil,
      SelfPreservation selfPreservation,
      double heartbeatsS,
      double eventsS,
      List<Replica> replicas,
      Database database,
      List<JobRun> jobs) {}

  /** Whether the mass-offline guard prevents offline transitions at present (R5.3). */
  record SelfPreservation(boolean suspended, @Nullable Instant since, @Nullable Instant until) {

    static SelfPreservation of(Uptime uptime, Duration hold) {
      @Nullable Instant since = uptime.holdSince();
      @Nullable Instant until = since == null ? null : since.plus(hold);
      return new SelfPreservation(until != null && uptime.now().isBefore(until), since, until);
    }
  }

  /**
   * The database as this replica sees it; sizes in bytes.
   *
   * @param pooler whether a pooler stands before it (R12.1)
   */
  record Database(
      double latencyMs,
      String version,
      boolean pooler,
      long bytes,
      long historyBytes,
      @Nullable Instant oldestEventAt) {}

  record SettingList(List<EffectiveSettings.Shown> settings, int count) {}

  private final JdbcClient db;
  private final Pooler pooler;
  private final ReplicaReports reports;
  private final ControlPlaneUptime uptime;
  private final LivenessSettings liveness;
  private final List<RecurringJob> jobs;
  private final JobHistory runs;
  private final EffectiveSettings settings;

  OperationsController(
      JdbcClient db,
      Pooler pooler,
      ReplicaReports reports,
      ControlPlaneUptime uptime,
      LivenessSettings liveness,
      List<RecurringJob> jobs,
      JobHistory runs,
      EffectiveSettings settings) {
    this.db = db;
    this.pooler = pooler;
    this.reports = reports;
    this.uptime = uptime;
    this.liveness = liveness;
    this.jobs = jobs;
    this.runs = runs;
    this.settings = settings;
  }

  @GetMapping("/admin/operations")
  @RouteAccess(CallerKind.VIEWER)
  Operations operations(Caller caller) {
    AccessChecks.requireReader(caller);
    Uptime stored = uptime.read();
    List<Replica> replicas = reports.all();
    return new Operations(
        stored.now(),
        reports.name(),
        stored.upSince(),
        stored.aliveUntil(),
        SelfPreservation.of(stored, liveness.massOffline().hold()),
        replicas.stream().filter(one -> !one.silent()).mapToDouble(Replica::heartbeatsS).sum(),
        reports.eventsPerSecond(),
        replicas,
        database(),
        runs.of(jobs));
  }

  /**
   * Measures the latency of a statement that reads no table: the wait for a connection, and the
   * network.
   */
  private Database database() {
    long start = System.nanoTime();
    db.sql("SELECT 1").query(Integer.class).single();
    double latencyMs = (System.nanoTime() - start) / 1e6;
    return db.sql(DATABASE)
        .query((row, n) ->
            new Database(
                Math.round(latencyMs * 100) / 100.0,
                row.getString("version"),
                pooler.isUsed(),
                row.getLong("bytes"),
                row.getLong("history_bytes"),
                Timestamps.instantOrNull(row, "oldest_event_at")))
        .single();
  }

  /** Lists all settings and the sources of their values; never a secret. */
  @GetMapping("/admin/settings")
  @RouteAccess(CallerKind.VIEWER)
  SettingList settings(Caller caller) {
    AccessChecks.requireReader(caller);
    List<EffectiveSettings.Shown> all = settings.all();
    return new SettingList(all, all.size());
  }
}
