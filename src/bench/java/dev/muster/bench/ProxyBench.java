package dev.muster.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The cost of the proxy: the time of paced calls, direct and through it in turn, beside the cost of
 * one more request and two durable transactions; its calls a second, beside a JSON echo of the same
 * server and the agent itself; and the memory of a delivery that waits for its agent. The agent is
 * a process of its own and answers at once; every message is new. Printed as a Markdown table.
 *
 * <p>Arguments, all optional: seconds a round (5), rounds (3), held deliveries (1,000).
 */
public final class ProxyBench {

  private static final int AGENTS = 100;
  private static final int CONNECTIONS = 64;
  private static final int[] PER_SECOND = {100, 500};
  private static final int WARM_UP_SECONDS = 15;

  /** The server's pool keeps idle connections for a shorter time. */
  private static final Duration UNTIL_CONNECTIONS_ARE_GONE = Duration.ofSeconds(8);

  private final int seconds;
  private final int rounds;
  private final int held;
  private final StringBuilder table = new StringBuilder("| | |\n|---|---|\n");

  private ProxyBench(int seconds, int rounds, int held) {
    this.seconds = seconds;
    this.rounds = rounds;
    this.held = held;
  }

  public static void main(String[] args) throws Exception {
    new ProxyBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 3,
            args.length > 2 ? Integer.parseInt(args[2]) : 1_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        AgentProcess agent = AgentProcess.start();
        BenchProcess server =
            BenchProcess.start(database.url(), Map.of("AGENT_URL_ALLOW", "loopback"))) {
      BenchFleet.execute(database.url(), "CREATE EXTENSION pg_stat_statements");
      CallableFleet fleet = CallableFleet.seed(database.url());
      List<String[]> quick = fleet.at(agent.baseUrl() + EchoingAgent.AT_ONCE, AGENTS);
      List<String[]> held = fleet.at(agent.baseUrl() + EchoingAgent.HELD, AGENTS);
      saturate(server, agent, database, quick);
      PacedRequests proxied =
          new PacedRequests(
              id -> server.baseUrl() + Messages.path(id), id -> Messages.fresh(), quick);
      pace(agent, server, database, proxied, quick);
      hold(server, agent, held);
    }
    System.out.println(table);
  }

  private void saturate(
      BenchProcess server, AgentProcess agent, BenchDatabase database, List<String[]> fleet)
      throws Exception {
    Path file = database.folder().resolve("fleet.txt");
    Files.write(file, fleet.stream().map(one -> one[0] + " " + one[1]).toList());
    Wrk toServer = new Wrk(server.baseUrl(), file);
    Wrk toAgent = new Wrk(agent.baseUrl(), file);
    CallableFleet.warmUp(toServer, CONNECTIONS);
    calls(toServer, "/bench/echo", WARM_UP_SECONDS);
    calls(toAgent, EchoingAgent.AT_ONCE, WARM_UP_SECONDS);
    List<Double> echo = new ArrayList<>();
    List<Double> direct = new ArrayList<>();
    List<Double> proxied = new ArrayList<>();
    List<Double> ofEcho = new ArrayList<>();
    List<Double> ofDirect = new ArrayList<>();
    double statements = 0;
    double syncs = 0;
    long requests = 0;
    for (int round = 0; round < rounds; round++) {
      echo.add(calls(toServer, "/bench/echo", seconds).requestsPerSecond());
      direct.add(calls(toAgent, EchoingAgent.AT_ONCE, seconds).requestsPerSecond());
      DatabaseCounters before = DatabaseCounters.read(database.url());
      Wrk.Round calls = calls(toServer, Messages.path("{id}"), seconds);
      DatabaseCounters counted = DatabaseCounters.read(database.url()).since(before);
      System.out.printf(
          "%s, %.0f echoes/s, %.0f direct calls/s%n", calls, echo.getLast(), direct.getLast());
      proxied.add(calls.requestsPerSecond());
      ofEcho.add(calls.requestsPerSecond() / echo.getLast());
      ofDirect.add(calls.requestsPerSecond() / direct.getLast());
      statements += counted.statements();
      syncs += counted.walSyncs();
      requests += calls.requests();
    }
    table.append(
        """
        | echo requests/s, %1$d connections | %2$s |
        | direct calls/s, %1$d connections | %3$s |
        | calls/s through the proxy, %1$d connections | %4$s |
        | **the same ÷ echo requests/s** | **%5$s** |
        | the same ÷ direct calls/s | %6$s |
        | SQL statements / WAL syncs per call | %7$.2f / %8$.3f |
        """
            .formatted(
                CONNECTIONS,
                Figures.of(echo).text("%,.0f"),
                Figures.of(direct).text("%,.0f"),
                Figures.of(proxied).text("%,.0f"),
                Figures.of(ofEcho).text("%.3f"),
                Figures.of(ofDirect).text("%.3f"),
                statements / requests,
                syncs / requests));
  }

  private static Wrk.Round calls(Wrk wrk, String path, int forSeconds) throws IOException {
    Wrk.Round round = wrk.run("message.lua", path, CONNECTIONS, forSeconds);
    if (round.refused() > 0) {
      throw new IllegalStateException("calls of " + path + " were refused: " + round);
    }
    return round;
  }

  private void pace(
      AgentProcess agent,
      BenchProcess server,
      BenchDatabase database,
      PacedRequests proxied,
      List<String[]> fleet)
      throws Exception {
    PacedRequests direct =
        new PacedRequests(
            id -> agent.baseUrl() + EchoingAgent.AT_ONCE, id -> Messages.fresh(), fleet);
    PacedRequests echo =
        new PacedRequests(id -> server.baseUrl() + "/bench/echo", id -> Messages.fresh(), fleet);
    try (BareCommits commits = new BareCommits(database.url())) {
      for (int perSecond : PER_SECOND) {
        for (Paced.Way way :
            List.<Paced.Way>of(direct::run, echo::run, commits::run, proxied::run)) {
          way.run(perSecond, 2 * seconds);
        }
        pace(perSecond, direct::run, echo::run, commits::run, proxied::run);
      }
    }
  }

  /** All in turn, so that other load of the machine affects all of them. */
  private void pace(
      int perSecond, Paced.Way direct, Paced.Way echo, Paced.Way commits, Paced.Way proxied) {
    List<Paced> ofDirect = new ArrayList<>();
    List<Paced> ofEcho = new ArrayList<>();
    List<Paced> ofCommits = new ArrayList<>();
    List<Paced> ofProxied = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      ofDirect.add(Paced.run(direct, perSecond, 2 * seconds));
      ofEcho.add(Paced.run(echo, perSecond, 2 * seconds));
      ofCommits.add(Paced.run(commits, perSecond, 2 * seconds));
      ofProxied.add(Paced.run(proxied, perSecond, 2 * seconds));
      System.out.printf(
          "%d/s: direct %s, echo %s, commits %s, proxied %s%n",
          perSecond,
          ofDirect.getLast(),
          ofEcho.getLast(),
          ofCommits.getLast(),
          ofProxied.getLast());
    }
    table.append(
        """
        | direct call p50 / p99 at %1$d/s, ms | %2$s |
        | control: echo of the server p50 / p99, ms | %3$s |
        | control: two durable transactions of one row p50 / p99, ms | %4$s |
        | call through the proxy p50 / p99 at %1$d/s, ms | %5$s |
        | **added p50** at %1$d/s, ms | **%6$s** |
        | **added p99** at %1$d/s, ms | **%7$s** |
        | added p50 ÷ both controls | %8$s |
        | refused by the proxy at %1$d/s | %9$d of %10$,d |
        """
            .formatted(
                perSecond,
                Paced.text(ofDirect),
                Paced.text(ofEcho),
                Paced.text(ofCommits),
                Paced.text(ofProxied),
                perRound(i -> ofProxied.get(i).p50() - ofDirect.get(i).p50()).text("%.2f"),
                perRound(i -> ofProxied.get(i).p99() - ofDirect.get(i).p99()).text("%.2f"),
                perRound(i ->
                        (ofProxied.get(i).p50() - ofDirect.get(i).p50())
                            / (ofEcho.get(i).p50() + ofCommits.get(i).p50()))
                    .text("%.2f"),
                ofProxied.stream().mapToInt(Paced::refused).sum(),
                perSecond * 2 * seconds * rounds));
  }

  private Figures perRound(IntToDoubleFunction figure) {
    return Figures.of(IntStream.range(0, rounds).mapToDouble(figure).boxed().toList());
  }

  private void hold(BenchProcess server, AgentProcess agent, List<String[]> fleet)
      throws IOException {
    LockSupport.parkNanos(UNTIL_CONNECTIONS_ARE_GONE.toNanos());
    double before = server.usedHeapKiB();
    long residentBefore = server.residentMiB();
    AtomicInteger answered = new AtomicInteger();
    try (ManySockets sockets =
        new ManySockets(
            server.port(),
            held,
            (same, connection, answer, at) -> {
              if (!answer.startsWith("HTTP/1.1 200 ") || !answer.contains("\"result\"")) {
                throw new IllegalStateException(answer);
              }
              answered.incrementAndGet();
            })) {
      for (int i = 0; i < held; i++) {
        sockets.send(i, Messages.toWorkspace(fleet.get(i % fleet.size()), ""));
        LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
      }
      Waits.until("not all deliveries reach the agent", () -> agent.waiting() == held);
      double each = (server.usedHeapKiB() - before) / held;
      long resident = server.residentMiB() - residentBefore;
      if (answered.get() > 0) {
        throw new IllegalStateException(answered + " deliveries do not wait");
      }
      long loggedAt = System.nanoTime();
      agent.release();
      Waits.until("not all deliveries are answered", () -> answered.get() == held);
      table.append(
          """
          | deliveries held at once, and all answered | %,d |
          | heap each holds, both connections included, KiB | %.1f |
          | memory of the server (RSS) grew by, MiB | %d |
          | from the agent's word to the last answer, ms | %,d |
          """
              .formatted(
                  held, each, resident, Duration.ofNanos(System.nanoTime() - loggedAt).toMillis()));
      System.out.println(table);
    }
  }
}
