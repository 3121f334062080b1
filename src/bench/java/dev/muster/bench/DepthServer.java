package dev.muster.bench;

import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/** A server, its database, and an agent whose heartbeats are measured beside all work. */
final class DepthServer implements AutoCloseable {

  private static final int HEARTBEATS_PER_SECOND = 100;
  private static final Duration MIN_MEASURED = Duration.ofSeconds(3);
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(100);
  private static final Duration WARM_UP = Duration.ofSeconds(15);

  /** Nothing but the measured work happens, and no rate limit ends it. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "AGENT_URL_ALLOW", "loopback",
          "LIVENESS_SWEEP_INTERVAL_S", "86400",
          "REGISTRATION", "open",
          "RATE_LIMIT", "0");

  @FunctionalInterface
  interface Work {
    DepthTable.Outcome run() throws Exception;
  }

  /** {@code slowest} says in which seconds the slowest hundredth of the heartbeats was due. */
  private record Beside(DepthTable.Outcome outcome, Paced heartbeats, String slowest) {}

  private final DepthTable table;
  private final BenchDatabase database;
  private final BenchProcess process;
  private final PacedRequests heartbeats;
  private final double quiet;
  final AdminClient admin;

  private DepthServer(DepthTable table, BenchDatabase database, BenchProcess process)
      throws Exception {
    this.table = table;
    this.database = database;
    this.process = process;
    this.admin = new AdminClient(process.baseUrl());
    this.heartbeats = PacedRequests.heartbeats(process.baseUrl() + "/registry/heartbeat", seed(1));
    heartbeats.run(HEARTBEATS_PER_SECOND, (int) WARM_UP.toSeconds());
    this.quiet = heartbeats(WARM_UP, () -> new DepthTable.Outcome(Map.of(), 0)).heartbeats().p99();
  }

  static DepthServer start(DepthTable table) throws Exception {
    BenchDatabase database = BenchDatabase.start();
    return new DepthServer(table, database, BenchProcess.start(database.url(), SETTINGS));
  }

  int port() {
    return process.port();
  }

  String baseUrl() {
    return process.baseUrl();
  }

  List<String[]> seed(int workspaces) throws Exception {
    return BenchFleet.seed(database.url(), workspaces);
  }

  void execute(String sql) throws SQLException {
    BenchFleet.execute(database.url(), sql);
  }

  /**
   * Makes the statistics those of the seeded rows, and writes these, before something is measured.
   */
  void settle() throws SQLException {
    execute("VACUUM ANALYZE");
    execute("CHECKPOINT");
  }

  String value(String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(database.url());
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }

  long number(String sql) throws SQLException {
    return Long.parseLong(value(sql));
  }

  /** Returns the seconds until the query is true; NaN if it is not within the limit. */
  double secondsUntil(String query, Duration limit) throws SQLException {
    long begin = System.nanoTime();
    while (!value(query).equals("t")) {
      if (System.nanoTime() - begin > limit.toNanos()) {
        return Double.NaN;
      }
      LockSupport.parkNanos(LOOK_INTERVAL.toNanos());
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  /** Measures the work at a size, and the heartbeats that were due meanwhile. */
  void measure(int size, Work work) throws Exception {
    Beside measured = heartbeats(MIN_MEASURED, work);
    table.add(size, measured.outcome(), measured.heartbeats(), quiet);
    System.out.println("    the slowest hundredth of the heartbeats: " + measured.slowest());
  }

  private Beside heartbeats(Duration atLeast, Work work) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger sent = new AtomicInteger();
    long end = System.nanoTime() + atLeast.toNanos();
    IntPredicate goesOn =
        number -> {
          sent.set(number);
          return !isOver.get() || System.nanoTime() < end;
        };
    CompletableFuture<List<Pace.Timed>> beside = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("heartbeats")
        .start(() -> beside.complete(heartbeats.timed(HEARTBEATS_PER_SECOND, goesOn)));
    try {
      DepthTable.Outcome outcome = work.run();
      isOver.set(true);
      List<Pace.Timed> sorted = beside.join();
      List<Double> ms = sorted.stream().map(Pace.Timed::ms).toList();
      return new Beside(outcome, Paced.of(ms, sent.get()), slowest(sorted));
    } finally {
      isOver.set(true);
    }
  }

  private static String slowest(List<Pace.Timed> sorted) {
    long begin = sorted.stream().mapToLong(Pace.Timed::due).min().orElseThrow();
    return sorted.subList(sorted.size() * 99 / 100, sorted.size()).stream()
        .collect(
            Collectors.groupingBy(
                one -> (one.due() - begin) / 1_000_000_000L, TreeMap::new, Collectors.counting()))
        .entrySet()
        .stream()
        .map(second -> second.getValue() + " in second " + second.getKey())
        .collect(Collectors.joining(", "));
  }

  @Override
  public void close() throws IOException {
    process.close();
    database.close();
  }
}
