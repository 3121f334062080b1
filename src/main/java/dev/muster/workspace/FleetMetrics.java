package dev.muster.workspace;

import dev.muster.platform.log.CachedScrape;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Exports the number of workspaces by status, and of stalled ones. It counts at most once in 5 s,
 * and only when a scrape asks.
 */
@Component
class FleetMetrics implements MeterBinder {

  private static final Duration FRESH = Duration.ofSeconds(5);

  private static final List<WorkspaceStatus> IN_TROUBLE =
      List.of(WorkspaceStatus.DEGRADED, WorkspaceStatus.OFFLINE, WorkspaceStatus.FAILED);

  private static final String COUNT_BY_STATUS =
      """
      SELECT status, count(*) AS workspaces, count(*) FILTER (WHERE stalled) AS stalled,
        EXTRACT(EPOCH FROM now() - min(status_since)) AS oldest_s
      FROM workspace_heartbeats GROUP BY status
      """;

  /** The counts of one scrape; NaN without a database, since 0 would report an empty fleet. */
  private record Counts(
      Map<WorkspaceStatus, Double> byStatus,
      Map<WorkspaceStatus, Double> oldestS,
      double ofOthers,
      double stalled) {

    static final Counts UNKNOWN = new Counts(Map.of(), Map.of(), Double.NaN, Double.NaN);
  }

  private final JdbcClient db;
  private final CachedScrape<Counts> counts;

  FleetMetrics(JdbcClient db) {
    this.db = db;
    this.counts = new CachedScrape<>(FRESH, this::countAll, Counts.UNKNOWN);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (WorkspaceStatus status : WorkspaceStatus.values()) {
      Gauge.builder("muster.workspaces", () -> count(status))
          .description("Workspaces by status")
          .tag("status", status.wire())
          .register(registry);
    }
    for (WorkspaceStatus status : IN_TROUBLE) {
      Gauge.builder("muster.workspaces.oldest", () -> oldestS(status))
          .description("The longest time that a workspace has now been in this status")
          .baseUnit("seconds")
          .tag("status", status.wire())
          .register(registry);
    }
    Gauge.builder("muster.workspaces.stalled", () -> counts.get().stalled())
        .description("Workspaces whose heartbeats arrive but whose agent writes nothing")
        .register(registry);
  }

  private double count(WorkspaceStatus status) {
    Counts counted = counts.get();
    return counted.byStatus().getOrDefault(status, counted.ofOthers());
  }

  private double oldestS(WorkspaceStatus status) {
    Counts counted = counts.get();
    return counted.oldestS().getOrDefault(status, counted.ofOthers());
  }

  private Counts countAll() {
    Map<WorkspaceStatus, Double> oldestS = new EnumMap<>(WorkspaceStatus.class);
    Map<WorkspaceStatus, Double> byStatus = new EnumMap<>(WorkspaceStatus.class);
    double[] stalled = {0};
    db.sql(COUNT_BY_STATUS)
        .query(row -> {
          WorkspaceStatus status = WorkspaceStatus.of(row.getString("status"));
          byStatus.put(status, row.getDouble("workspaces"));
          oldestS.put(status, Math.max(0, row.getDouble("oldest_s")));
          stalled[0] += row.getDouble("stalled");
        });
    return new Counts(byStatus, oldestS, 0, stalled[0]);
  }
}
