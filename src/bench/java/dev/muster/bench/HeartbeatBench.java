package dev.muster.bench;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Heartbeats against a plain JSON echo on the same server, both driven by {@code wrk}: rounds
 * interleaved, medians and ranges, printed as a Markdown table.
 *
 * <p>Arguments, all optional: seconds a round (10), rounds (5).
 */
public final class HeartbeatBench {

  private static final int[] FLEETS = {1_000, 50_000};
  private static final int[] CONNECTIONS = {64, 256};
  private static final int WARM_UP_SECONDS = 25;
  private static final int PACED_PER_SECOND = 100;
  private static final String ECHO = "/bench/echo";
  private static final String HEARTBEAT = "/registry/heartbeat";

  private final int seconds;
  private final int rounds;
  private final StringBuilder table = new StringBuilder();

  private HeartbeatBench(int seconds, int rounds) {
    this.seconds = seconds;
    this.rounds = rounds;
  }

  public static void main(String[] args) throws Exception {
    int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
    new HeartbeatBench(seconds, rounds).run();
  }

  private void run() throws Exception {
    Path folder = Files.createTempDirectory("muster-bench-");
    table.append("| | 1,000 workspaces | 50,000 workspaces |\n|---|---|---|\n");
    List<List<String>> columns = new ArrayList<>();
    try (MusterHome home = MusterHome.open(folder.resolve("home"));
        EmbeddedDatabase postgres = EmbeddedDatabase.start(home)) {
      for (int fleet : FLEETS) {
        columns.add(measure(postgres, folder, fleet));
      }
    }
    List<String> names = names();
    for (int i = 0; i < names.size(); i++) {
      table.append("| ").append(names.get(i));
      for (List<String> column : columns) {
        table.append(" | ").append(column.get(i));
      }
      table.append(" |\n");
    }
    System.out.println(table);
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>();
    for (int connections : CONNECTIONS) {
      String at = ", " + connections + " connections";
      names.add("echo requests/s" + at);
      names.add("durable heartbeats/s" + at);
      names.add("**ratio**" + at);
      names.add("heartbeat p50 / p99, ms" + at);
      names.add("SQL statements per heartbeat" + at);
      names.add("WAL syncs per heartbeat" + at);
    }
    names.add("heartbeat p50 − echo p50 at 100/s, ms");
    names.add("heartbeat p50 / p99 at 100/s, ms");
    names.add("heap-only updates");
    names.add("server memory (RSS), MiB");
    return names;
  }

  private List<String> measure(EmbeddedDatabase postgres, Path folder, int size) throws Exception {
    String name = "bench_" + size;
    String url =
        "%s?user=%s&password=%s"
            .formatted(postgres.jdbcUrl(), postgres.user(), postgres.password());
    BenchFleet.execute(url, "CREATE DATABASE " + name);
    String ofBench = url.replaceFirst("/[^/?]*\\?", "/" + name + "?");
    BenchFleet.execute(ofBench, "CREATE EXTENSION pg_stat_statements");
    List<String> column = new ArrayList<>();
    try (BenchProcess server = BenchProcess.start(ofBench)) {
      List<String[]> fleet = BenchFleet.seed(ofBench, size);
      Path file = folder.resolve(name + ".txt");
      Files.write(file, fleet.stream().map(agent -> agent[0] + " " + agent[1]).toList());
      Wrk wrk = new Wrk(server.baseUrl(), file);
      // every token is read once, and the JIT gets the time that it takes on two busy cores
      wrk.run(HEARTBEAT, 256, WARM_UP_SECONDS);
      wrk.run(ECHO, 256, WARM_UP_SECONDS);
      DatabaseCounters before = DatabaseCounters.read(ofBench);
      for (int connections : CONNECTIONS) {
        column.addAll(saturate(wrk, ofBench, connections));
      }
      column.addAll(pace(server, fleet));
      DatabaseCounters counted = DatabaseCounters.read(ofBench).since(before);
      column.add("%.1f %%".formatted(100.0 * counted.inPlaceUpdates() / counted.updates()));
      column.add(String.valueOf(server.residentMiB()));
    }
    return column;
  }

  private List<String> saturate(Wrk wrk, String url, int connections) throws Exception {
    List<Double> echo = new ArrayList<>();
    List<Double> heartbeats = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    List<Double> p50 = new ArrayList<>();
    List<Double> p99 = new ArrayList<>();
    double statements = 0;
    double syncs = 0;
    long requests = 0;
    for (int round = 0; round < rounds; round++) {
      Wrk.Round ofEcho = wrk.run(ECHO, connections, seconds);
      DatabaseCounters before = DatabaseCounters.read(url);
      Wrk.Round ofHeartbeats = wrk.run(HEARTBEAT, connections, seconds);
      DatabaseCounters counted = DatabaseCounters.read(url).since(before);
      if (ofEcho.refused() + ofHeartbeats.refused() > 0) {
        throw new IllegalStateException("requests were refused: " + ofEcho + " " + ofHeartbeats);
      }
      System.out.printf("%s %s%n", ofEcho, ofHeartbeats);
      echo.add(ofEcho.requestsPerSecond());
      heartbeats.add(ofHeartbeats.requestsPerSecond());
      ratios.add(ofHeartbeats.requestsPerSecond() / ofEcho.requestsPerSecond());
      p50.add(ofHeartbeats.p50());
      p99.add(ofHeartbeats.p99());
      statements += counted.statements();
      syncs += counted.walSyncs();
      requests += ofHeartbeats.requests();
    }
    return List.of(
        Figures.of(echo).text("%,.0f"),
        Figures.of(heartbeats).text("%,.0f"),
        "**" + Figures.of(ratios).text("%.2f") + "**",
        "%.1f / %.1f".formatted(Figures.of(p50).median(), Figures.of(p99).median()),
        "%.4f".formatted(statements / requests),
        "%.4f".formatted(syncs / requests));
  }

  private List<String> pace(BenchProcess server, List<String[]> fleet) {
    List<Double> echo =
        PacedRequests.heartbeats(server.baseUrl() + ECHO, fleet).run(PACED_PER_SECOND, 2 * seconds);
    List<Double> heartbeats =
        PacedRequests.heartbeats(server.baseUrl() + HEARTBEAT, fleet)
            .run(PACED_PER_SECOND, 2 * seconds);
    double p50 = heartbeats.get(heartbeats.size() / 2);
    return List.of(
        "%+.2f".formatted(p50 - echo.get(echo.size() / 2)),
        "%.2f / %.2f".formatted(p50, heartbeats.get(heartbeats.size() * 99 / 100)));
  }
}
