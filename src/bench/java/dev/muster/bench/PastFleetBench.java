package dev.muster.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * What a console waits for when it opens the time machine of a fleet of 100,000 workspaces with 30
 * days of history: the fleet at a time, what changed within a day, and the minutes; printed as a
 * Markdown table.
 *
 * <p>Arguments, all optional: rounds (5), workspaces (100,000), changes in the history (5,000,000).
 */
public final class PastFleetBench {

  /** Names are kept for 30 s. */
  private static final Duration UNTIL_COLD = Duration.ofSeconds(31);

  private static final String INDEXES =
      "SELECT %s FROM pg_indexes WHERE tablename = 'ended_status_periods' AND indexname <>"
          + " 'ended_status_periods_pkey'";

  private final int rounds;
  private final int fleet;
  private final int changes;

  PastFleetBench(int rounds, int fleet, int changes) {
    this.rounds = rounds;
    this.fleet = fleet;
    this.changes = changes;
  }

  /**
   * Workspaces that are well for a long time and then in trouble for a tenth of it, over and over;
   * one of ten has sixteen times as many changes as each other one. Rows are in the order in which
   * the job writes them.
   */
  private static String periods(int fleet, int changes) {
    return """
    SET work_mem = '512MB';
    SET maintenance_work_mem = '1GB';
    TRUNCATE history_head, ended_status_periods, open_status_periods;
    CREATE TEMPORARY TABLE periods_to_be AS
    WITH fleet AS (
        SELECT id, n, greatest(1, CASE WHEN n %% 10 = 0 THEN 32 ELSE 2 END * %2$d / 10 / %1$d)::integer AS periods, random() AS phase
        FROM (SELECT id, row_number() OVER (ORDER BY created_at) AS n FROM workspaces) AS numbered
    ), began AS (
        SELECT id, n, k, now() - interval '30 days' + interval '30 days' / periods * (k / 2 - 1 + phase + CASE k %% 2 WHEN 0 THEN 0 ELSE 0.9 END) AS since
        FROM fleet, generate_series(0, 2 * periods + 1) AS k
    )
    SELECT id, greatest(since, now() - interval '31 days') AS since, lead(since) OVER places AS until, row_number() OVER places AS place,
        CASE WHEN k %% 2 = 0 THEN 'online' WHEN n %% 3 = 0 THEN 'degraded' ELSE 'offline' END AS status
    FROM began WHERE since < now() WINDOW places AS (PARTITION BY id ORDER BY since);
    INSERT INTO ended_status_periods (workspace_id, since, seq, until, previous, status, degraded_reason, error)
    SELECT id, since, place, until, CASE WHEN place > 1 THEN CASE status WHEN 'online' THEN 'offline' ELSE 'online' END END, status,
        CASE status WHEN 'degraded' THEN 'runtime_wedged' END, CASE status WHEN 'degraded' THEN 'Control request timeout: initialize' END
    FROM periods_to_be WHERE until IS NOT NULL ORDER BY until;
    INSERT INTO open_status_periods (workspace_id, since, seq, previous, status)
    SELECT id, since, place, 'offline', status FROM periods_to_be WHERE until IS NULL;
    INSERT INTO history_head (last_seq, began_at, up_to, minutes_to, minute_seq)
    SELECT last_seq, now() - interval '31 days', now(), date_bin('1 minute', now(), 'epoch'), last_seq FROM event_head
    """
        .formatted(fleet, changes);
  }

  public static void main(String[] args) throws Exception {
    new PastFleetBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 100_000,
            args.length > 2 ? Integer.parseInt(args[2]) : 5_000_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start()) {
      start(database).close(); // makes the tables
      BenchFleet.seed(database.url(), fleet);
      ConsoleFleetBench.shape(database.url());
      seed(database.url(), fleet, changes);
      try (BenchProcess server = start(database)) {
        measure(new AdminClient(server.baseUrl()), database.url());
      }
    }
  }

  static BenchProcess start(BenchDatabase database) throws IOException {
    return BenchProcess.start(
        database.url(), Map.of("LIVENESS_SWEEP_INTERVAL_S", "86400", "RATE_LIMIT", "0"));
  }

  /** Fills the tables, and makes the indexes afterwards, which takes less time. */
  static void seed(String url, int fleet, int changes) throws SQLException {
    List<String> indexes = values(url, INDEXES.formatted("indexdef"));
    for (String name : values(url, INDEXES.formatted("indexname"))) {
      BenchFleet.execute(url, "DROP INDEX " + name);
    }
    BenchFleet.execute(url, periods(fleet, changes));
    for (String index : indexes) {
      BenchFleet.execute(url, "SET maintenance_work_mem = '1GB'; " + index);
    }
    BenchFleet.execute(url, "VACUUM ANALYZE");
  }

  private static List<String> values(String url, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }

  void measure(AdminClient admin, String database) throws Exception {
    Instant now = Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.MILLIS);
    Map<String, String> paths = new LinkedHashMap<>();
    for (int days : new int[] {0, 1, 7, 29}) {
      Instant from = now.minus(Duration.ofDays(days)).minus(Duration.ofHours(12));
      paths.put("fleet " + days + " days and 12 hours ago", "/console/fleet/at?t=" + from);
    }
    for (int days : new int[] {1, 29}) {
      Instant from = now.minus(Duration.ofDays(days));
      String window = from + "&%s=" + from.plus(Duration.ofDays(1));
      paths.put(
          "fleet " + days + " days ago, and who came within a day",
          "/console/fleet/at?t=" + window.formatted("until"));
      paths.put(
          "changes of a day, from " + days + " days ago",
          "/console/fleet/changes?from=" + window.formatted("to"));
    }
    paths.put("minutes of a day", "/console/fleet/minutes");
    System.out.printf(
        "| %,d workspaces, %s ended periods, %s | ms | bytes |%n|---|---|---|%n",
        fleet,
        values(database, "SELECT count(*) FROM ended_status_periods").getFirst(),
        values(database, "SELECT pg_size_pretty(pg_total_relation_size('ended_status_periods'))")
            .getFirst());
    LockSupport.parkNanos(UNTIL_COLD.toNanos());
    AdminClient.Timed cold = admin.get(paths.values().iterator().next());
    System.out.printf("| the first one, before anything is kept | %.0f | |%n", cold.ms());
    for (var path : paths.entrySet()) {
      List<Double> times = new ArrayList<>();
      AdminClient.Timed last = admin.get(path.getValue());
      for (int round = 0; round < rounds; round++) {
        last = admin.get(path.getValue());
        times.add(last.ms());
      }
      System.out.printf(
          "| %s | %s | %,d |%n", path.getKey(), Figures.of(times).text("%.0f"), last.body().length);
    }
  }
}
