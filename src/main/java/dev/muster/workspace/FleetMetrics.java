package dev.muster.workspace;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * How many workspaces there are of each status: one count for a scrape, none while nobody scrapes.
 */
@Component
class FleetMetrics implements MeterBinder {

  private static final Logger log = LoggerFactory.getLogger(FleetMetrics.class);
  private static final Duration FRESH = Duration.ofSeconds(5);

  private static final String COUNT_BY_STATUS =
      "SELECT status, count(*) AS workspaces FROM workspace_beats GROUP BY status";

  private final JdbcClient db;
  private Map<WorkspaceStatus, Double> counts = Map.of();
  private long countedAt = System.nanoTime() - FRESH.toNanos();

  FleetMetrics(JdbcClient db) {
    this.db = db;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (WorkspaceStatus status : WorkspaceStatus.values()) {
      Gauge.builder("muster.workspaces", () -> count(status))
          .tag("status", status.wire())
          .register(registry);
    }
  }

  /** NaN when the database cannot tell: a gap in the graph, not a fleet that is gone. */
  private synchronized double count(WorkspaceStatus status) {
    if (System.nanoTime() - countedAt >= FRESH.toNanos()) {
      counts = countAll();
      countedAt = System.nanoTime();
    }
    return counts.getOrDefault(status, counts.isEmpty() ? Double.NaN : 0.0);
  }

  private Map<WorkspaceStatus, Double> countAll() {
    try {
      Map<WorkspaceStatus, Double> counted = new EnumMap<>(WorkspaceStatus.class);
      counted.put(WorkspaceStatus.ONLINE, 0.0);
      db.sql(COUNT_BY_STATUS)
          .query(row -> {
            counted.put(WorkspaceStatus.of(row.getString("status")), row.getDouble("workspaces"));
          });
      return counted;
    } catch (RuntimeException e) {
      log.debug("workspaces could not be counted", e);
      return Map.of();
    }
  }
}
