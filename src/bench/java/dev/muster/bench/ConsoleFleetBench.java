package dev.muster.bench;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * What a console waits for when it opens a fleet of 100,000 workspaces: the snapshot when none is
 * kept, when one is, and the summary; printed as a Markdown table.
 *
 * <p>Arguments, all optional: rounds (5), workspaces (100,000).
 */
public final class ConsoleFleetBench {

  /** A snapshot is kept for 30 s, a summary for 1 s. */
  private static final Duration UNTIL_COLD = Duration.ofSeconds(31);

  /** A fleet as fleets are: some teams, a few hundred degraded, some offline, some never heard. */
  private static final String SHAPE =
      """
      WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM workspaces)
      UPDATE workspaces w SET
          name = 'Reviewer ' || one.n, role = 'code review ' || one.n % 20,
          runtime = CASE one.n % 3 WHEN 0 THEN 'codex' ELSE 'claude' END,
          created_at = now() - one.n * interval '1 s', parent_id = team.id
      FROM numbered one LEFT JOIN numbered team ON one.n > 500 AND team.n = 1 + one.n % 500
      WHERE one.id = w.id;
      WITH numbered AS (SELECT workspace_id AS id, row_number() OVER (ORDER BY workspace_id) AS n FROM workspace_heartbeats)
      UPDATE workspace_heartbeats b SET
          status = CASE WHEN n % 250 = 0 THEN 'degraded' WHEN n % 50 = 0 THEN 'offline' ELSE 'online' END,
          degraded_reason = CASE WHEN n % 250 = 0 THEN 'runtime_wedged' END,
          sample_error = CASE WHEN n % 250 = 0 THEN 'Control request timeout: initialize ' || n % 7 ELSE '' END,
          status_since = now() - n * interval '1 s', last_heartbeat_at = now() - n % 30 * interval '1 s'
      FROM numbered WHERE numbered.id = b.workspace_id;
      VACUUM ANALYZE
      """;

  private final int rounds;
  private final int fleet;

  private ConsoleFleetBench(int rounds, int fleet) {
    this.rounds = rounds;
    this.fleet = fleet;
  }

  public static void main(String[] args) throws Exception {
    new ConsoleFleetBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 100_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server =
            BenchProcess.start(
                database.url(), Map.of("LIVENESS_SWEEP_INTERVAL_S", "86400", "RATE_LIMIT", "0"))) {
      BenchFleet.seed(database.url(), fleet);
      shape(database.url());
      measure(new AdminClient(server.baseUrl()));
    }
  }

  /** Gives the workspaces of {@link BenchFleet} names, parents and statuses. */
  static void shape(String url) throws SQLException {
    for (String statement : SHAPE.split(";\n", -1)) {
      BenchFleet.execute(url, statement);
    }
  }

  private void measure(AdminClient admin) throws Exception {
    List<Double> cold = new ArrayList<>();
    List<Double> warm = new ArrayList<>();
    List<Double> summary = new ArrayList<>();
    List<Double> filtered = new ArrayList<>();
    int zipped = admin.get("/console/fleet").body().length;
    int plain = admin.get("/console/fleet", "identity").body().length;
    for (int round = 0; round < rounds; round++) {
      LockSupport.parkNanos(UNTIL_COLD.toNanos());
      cold.add(admin.get("/console/fleet").ms());
      warm.add(admin.get("/console/fleet").ms());
      summary.add(admin.get("/console/summary", "identity").ms());
      filtered.add(
          admin
              .get("/console/summary?q=is:bad%20under:%22Reviewer%207%22%20review", "identity")
              .ms());
    }
    System.out.printf(
        """
        | %,d workspaces | |
        |---|---|
        | snapshot that is not kept, ms | %s |
        | snapshot that is kept, ms | %s |
        | its bytes, compressed | %,d (%.1f a row) |
        | its bytes, plain | %,d (%.1f a row) |
        | summary, ms | %s |
        | summary with a filter, ms | %s |
        """,
        fleet,
        Figures.of(cold).text("%.0f"),
        Figures.of(warm).text("%.0f"),
        zipped,
        (double) zipped / fleet,
        plain,
        (double) plain / fleet,
        Figures.of(summary).text("%.0f"),
        Figures.of(filtered).text("%.0f"));
  }
}
