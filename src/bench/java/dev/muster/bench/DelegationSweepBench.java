package dev.muster.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * A sweep of a ledger of a million delegations with 50,000 in flight, of which 10,000 are due: its
 * duration, statements and scans, and its effect on heartbeats; and the same of a bare statement
 * that writes the same rows. Rounds in turn, printed as a Markdown table. Only heartbeats that were
 * due before the sweep ended count, and the p99 is that of all rounds together, since a hundredth
 * of one sweep's heartbeats is a handful.
 *
 * <p>Arguments, all optional: rounds (5), heartbeats a second (300), rows of the ledger
 * (1,000,000).
 */
public final class DelegationSweepBench {

  private static final int WORKSPACES = 1_000;
  private static final int IN_FLIGHT = 50_000;

  private static final int DUE = 10_000;
  private static final int ROUND_S = 5;

  /** The first sweeps of a server include the work of the compilers. */
  private static final int WARM_UP_SWEEPS = 8;

  private static final String STATEMENTS =
      """
      SELECT coalesce(sum(calls), 0) FROM pg_stat_statements
      WHERE query ~ '(delegations|deliveries|delivery_outcomes|activity_feeds|activity_logs|INTO events)' AND query !~ 'pg_stat|GROUP BY status'
      """;

  private static final String SEQUENTIAL_SCANS =
      "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'delegations'";

  private static final String INDEX_SCANS =
      "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'delegations_in_flight'";

  /** Makes the first ones due, whatever their status is. */
  private static final String MAKE_DUE =
      """
      UPDATE delegations SET status = 'in_progress', last_heartbeat = now(), error_detail = NULL,
          deadline = now() + CASE WHEN delegation_id IN (SELECT 'open-' || n FROM generate_series(1, %d) AS n)
              THEN interval '-1 second' ELSE interval '6 hours' END
      WHERE delegation_id LIKE 'open-%%'
      """
          .formatted(DUE);

  /** Latencies of heartbeats that were due during other work, and the duration of that work. */
  private record Beside(List<Double> heartbeats, double workMs) {

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%.0f ms and beats %s", workMs, paced(heartbeats));
    }
  }

  /** A sweep alone and its report, a bare one alone, and heartbeats without and beside either. */
  private record Round(
      double sweepMs,
      long statements,
      long scans,
      long sequential,
      double bareMs,
      List<Double> calm,
      Beside sweep,
      Beside bare) {

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "sweep %.0f ms, bare %.0f ms; calm beats %s; sweep %s; bare %s",
          sweepMs,
          bareMs,
          paced(calm),
          sweep,
          bare);
    }
  }

  private final int rounds;
  private final int perSecond;
  private final int rows;
  private final HttpClient http = HttpClient.newHttpClient();

  private DelegationSweepBench(int rounds, int perSecond, int rows) {
    this.rounds = rounds;
    this.perSecond = perSecond;
    this.rows = rows;
  }

  public static void main(String[] args) throws Exception {
    new DelegationSweepBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 300,
            args.length > 2 ? Integer.parseInt(args[2]) : 1_000_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server =
            BenchProcess.start(database.url(), Map.of("DELEGATION_SWEEPER_ENABLED", "false"))) {
      String url = database.url();
      List<String[]> fleet = BenchFleet.seed(url, WORKSPACES);
      BenchLedger.seed(url, "old", "completed", "6 hours", rows - IN_FLIGHT);
      BenchLedger.seed(url, "open", "in_progress", "6 hours", IN_FLIGHT);
      BenchFleet.execute(url, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
      BenchFleet.execute(url, "VACUUM ANALYZE delegations");
      measure(server, url, fleet);
    }
  }

  private void measure(BenchProcess server, String url, List<String[]> fleet) throws Exception {
    PacedRequests heartbeats =
        PacedRequests.heartbeats(server.baseUrl() + "/registry/heartbeat", fleet);
    for (int n = 0; n < WARM_UP_SWEEPS; n++) {
      prepare(url);
      beside(heartbeats, () -> sweep(server));
    }
    List<Round> all = new ArrayList<>();
    for (int n = 0; n < rounds; n++) {
      all.add(round(server, url, heartbeats));
      System.out.println(all.getLast());
    }
    print(all);
  }

  private Round round(BenchProcess server, String url, PacedRequests heartbeats) throws Exception {
    prepare(url);
    long statements = value(url, STATEMENTS);
    long scans = value(url, INDEX_SCANS);
    long sequential = value(url, SEQUENTIAL_SCANS);
    double sweepMs = sweep(server);
    statements = value(url, STATEMENTS) - statements;
    TimeUnit.SECONDS.sleep(1); // until the statistics are reported
    scans = value(url, INDEX_SCANS) - scans;
    sequential = value(url, SEQUENTIAL_SCANS) - sequential;
    prepare(url);
    double bareMs = bareSweep(url);
    prepare(url);
    List<Double> calm = new ArrayList<>(heartbeats.run(perSecond, ROUND_S));
    Beside sweep = beside(heartbeats, () -> sweep(server));
    prepare(url);
    calm.addAll(heartbeats.run(perSecond, ROUND_S));
    Beside bare = beside(heartbeats, () -> bareSweep(url));
    return new Round(sweepMs, statements, scans, sequential, bareMs, calm, sweep, bare);
  }

  private void print(List<Round> all) {
    Paced calm = paced(all, Round::calm);
    Paced sweeping = paced(all, round -> round.sweep().heartbeats());
    Paced besideBare = paced(all, round -> round.bare().heartbeats());
    System.out.printf(
        Locale.ROOT,
        """
        | %,d delegations, %,d in flight, %,d due | |
        |---|---|
        | **sweep**, ms | **%s** |
        | control: one bare statement that writes the same rows, ms | %s |
        | statements a thousand transitions | %s |
        | scans of the index of those in flight, a batch each and the last | %s |
        | sequential scans of the ledger in a sweep | %s |
        | sweep with %d beats/s beside it, ms | %s |
        | beats p50 / p99 calm, ms | %.2f / %.2f |
        | beats p50 / p99 during sweeps, ms | %.2f / %.2f |
        | **p99 ÷ calm** | **%.2f** |
        | control: beats p50 / p99 during bare statements, ms | %.2f / %.2f |
        | control: p99 ÷ calm | %.2f |
        """,
        rows,
        IN_FLIGHT,
        DUE,
        figures(all, Round::sweepMs).text("%.0f"),
        figures(all, Round::bareMs).text("%.0f"),
        figures(all, round -> round.statements() * 1000.0 / DUE).text("%.1f"),
        figures(all, Round::scans).text("%.0f"),
        figures(all, Round::sequential).text("%.0f"),
        perSecond,
        figures(all, round -> round.sweep().workMs()).text("%.0f"),
        calm.p50(),
        calm.p99(),
        sweeping.p50(),
        sweeping.p99(),
        sweeping.p99() / calm.p99(),
        besideBare.p50(),
        besideBare.p99(),
        besideBare.p99() / calm.p99());
  }

  private static Figures figures(List<Round> all, ToDoubleFunction<Round> figure) {
    return Figures.of(all.stream().mapToDouble(figure).boxed().toList());
  }

  private static Paced paced(List<Round> all, Function<Round, List<Double>> heartbeats) {
    return paced(all.stream().flatMap(round -> heartbeats.apply(round).stream()).toList());
  }

  /** The work begins with the heartbeats; those count that were due before it ended. */
  private Beside beside(PacedRequests heartbeats, DoubleSupplier work) {
    var workMs = CompletableFuture.supplyAsync(work::getAsDouble, Thread::startVirtualThread);
    long begin = System.nanoTime();
    List<Pace.Timed> all = heartbeats.timed(perSecond, ROUND_S);
    double took = workMs.join();
    return new Beside(
        all.stream()
            .filter(heartbeat -> (heartbeat.due() - begin) / 1e6 < took)
            .map(Pace.Timed::ms)
            .toList(),
        took);
  }

  private static void prepare(String url) throws Exception {
    BenchFleet.execute(url, MAKE_DUE);
    BenchFleet.execute(url, "VACUUM ANALYZE delegations");
    BenchFleet.execute(url, "CHECKPOINT");
  }

  /** Returns the milliseconds of the request. */
  private double sweep(BenchProcess server) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.baseUrl() + "/admin/delegations/sweep"))
            .header("Authorization", "Bearer " + AdminClient.TOKEN)
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    long start = System.nanoTime();
    String answer = http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().body();
    double took = (System.nanoTime() - start) / 1e6;
    System.out.println(answer);
    return took;
  }

  /** Returns the milliseconds of the statement. */
  private static double bareSweep(String url) {
    long start = System.nanoTime();
    try {
      BareLedger.sweep(url);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return (System.nanoTime() - start) / 1e6;
  }

  private static Paced paced(List<Double> latencies) {
    return Paced.of(latencies.stream().sorted().toList(), latencies.size());
  }

  private static long value(String url, String sql) throws Exception {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
