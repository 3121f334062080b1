package dev.muster.bench;

import dev.muster.bench.ClosedLoop.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Requests in the first ten seconds after a start, and when the server is warm: of the jar, and of
 * the release folder with its ahead-of-time cache, in turn. Agents come back all at once when a
 * server was started again.
 *
 * <p>Argument, optional: rounds (5). {@code src/build/archive} has made what is measured.
 */
public final class ColdBench {

  private static final int AGENTS = 200;
  private static final int CONNECTIONS = 64;
  private static final Duration COLD = Duration.ofSeconds(10);
  private static final Duration WARM_UP = Duration.ofSeconds(25);
  private static final Duration WARM = Duration.ofSeconds(10);

  /** A kind of request, and the least ratio of the release's rate to the jar's while cold. */
  private record Kind(String name, double goal, IntFunction<String> requests) {}

  private ColdBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    Program jar = Program.jar();
    Program release = Program.release();
    try (BenchDatabase database = BenchDatabase.start()) {
      List<String[]> fleet;
      try (BenchProcess server = BenchProcess.start(jar.command(), database.url(), Map.of())) {
        fleet = BenchFleet.seed(database.url(), AGENTS);
        // The client is warm before the first server is measured.
        ClosedLoop.run(server.port(), CONNECTIONS, COLD, heartbeats(fleet));
      }
      System.out.println("| answers/s | jar | folder | ratio | goal |\n|---|---|---|---|---|");
      for (Kind kind :
          List.of(
              new Kind("heartbeats", 2, heartbeats(fleet)),
              new Kind("polls", 1.7, polls(fleet)),
              new Kind("messages", 1.7, messages(fleet)))) {
        List<double[]> ofJar = new ArrayList<>();
        List<double[]> ofRelease = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
          // Neither always comes second, to the fuller tables.
          if (round % 2 == 0) {
            ofJar.add(rates(jar, database, kind));
          }
          ofRelease.add(rates(release, database, kind));
          if (round % 2 == 1) {
            ofJar.add(rates(jar, database, kind));
          }
        }
        print(kind.name() + ", first ten seconds", kind.goal(), ofJar, ofRelease, 0);
        print(kind.name() + ", warm", 0.97, ofJar, ofRelease, 1);
      }
    }
  }

  /** The rate of a server that has just been started, and its rate when it is warm. */
  private static double[] rates(Program program, BenchDatabase database, Kind kind)
      throws Exception {
    try (BenchProcess server =
        BenchProcess.start(program.command(), database.url(), Map.of("A2A_QUEUE_TTL_S", "3600"))) {
      double cold = rate(server, kind, COLD);
      rate(server, kind, WARM_UP);
      double warm = rate(server, kind, WARM);
      System.err.printf("%s, %s: %.0f, then %.0f%n", kind.name(), program.name(), cold, warm);
      return new double[] {cold, warm};
    }
  }

  private static double rate(BenchProcess server, Kind kind, Duration time) throws Exception {
    Load load = ClosedLoop.run(server.port(), CONNECTIONS, time, kind.requests());
    if (load.refused() > 0) {
      throw new IllegalStateException(load.refused() + " " + kind.name() + " were refused");
    }
    return load.ms().size() / (double) time.toSeconds();
  }

  private static void print(
      String name, double goal, List<double[]> ofJar, List<double[]> ofRelease, int column) {
    Figures jar = figures(ofJar, column);
    Figures release = figures(ofRelease, column);
    System.out.printf(
        "| %s | %s | %s | %.2f | %s |%n",
        name, jar.text("%,.0f"), release.text("%,.0f"), release.median() / jar.median(), goal);
  }

  private static Figures figures(List<double[]> rates, int column) {
    return Figures.of(rates.stream().map(one -> one[column]).toList());
  }

  private static IntFunction<String> heartbeats(List<String[]> fleet) {
    return n -> {
      String[] agent = fleet.get(n % AGENTS);
      return ClosedLoop.post(
          "/registry/heartbeat", agent[1], "{\"workspace_id\":\"" + agent[0] + "\"}");
    };
  }

  private static IntFunction<String> polls(List<String[]> fleet) {
    return n -> {
      String[] agent = fleet.get(n % AGENTS);
      return ClosedLoop.get("/workspaces/" + agent[0] + "/activity?type=a2a_receive", agent[1]);
    };
  }

  private static IntFunction<String> messages(List<String[]> fleet) {
    return n ->
        Messages.toWorkspace(new String[] {fleet.get(n % AGENTS)[0], AdminClient.TOKEN}, "");
  }
}
