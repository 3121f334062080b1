package dev.muster.bench;

import dev.muster.testing.FullBacklog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * What the proxy adds to a call of an agent: the time of paced calls, by turns direct and through
 * it; how many calls a second it carries, beside a JSON echo of the same server and the agent
 * itself; what a turn costs in memory that waits for its agent; and what calls of one agent feel of
 * the many callers of another that cannot be reached. The agent is a process of its own and answers
 * at once; every message is a new one. Printed as Markdown tables.
 *
 * <p>Arguments, all optional: seconds a round (5), rounds (3), turns held (1,000), callers of the
 * agent that cannot be reached (1,000).
 */
public final class ProxyBench {

  private static final int AGENTS = 100;
  private static final int CONNECTIONS = 64;
  private static final int[] PER_SECOND = {100, 500};
  private static final int BESIDE_THE_HOPELESS_PER_SECOND = 100;
  private static final int WARM_UP_SECONDS = 60;

  /** The server's pool keeps idle connections for less. */
  private static final Duration UNTIL_CONNECTIONS_ARE_GONE = Duration.ofSeconds(8);

  private final int seconds;
  private final int rounds;
  private final int held;
  private final int callers;
  private final StringBuilder table = new StringBuilder("| | |\n|---|---|\n");

  private ProxyBench(int seconds, int rounds, int held, int callers) {
    this.seconds = seconds;
    this.rounds = rounds;
    this.held = held;
    this.callers = callers;
  }

  public static void main(String[] args) throws Exception {
    new ProxyBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 5,
            args.length > 1 ? Integer.parseInt(args[1]) : 3,
            args.length > 2 ? Integer.parseInt(args[2]) : 1_000,
            args.length > 3 ? Integer.parseInt(args[3]) : 1_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        AgentProcess agent = AgentProcess.start();
        FullBacklog hopeless = new FullBacklog();
        BenchProcess server =
            BenchProcess.start(database.url(), Map.of("AGENT_URL_ALLOW", "loopback"))) {
      BenchFleet.execute(database.url(), "CREATE EXTENSION pg_stat_statements");
      List<String[]> fleet = siblings(database.url(), 2 * AGENTS + 1);
      List<String[]> quick = fleet.subList(0, AGENTS);
      List<String[]> patient = fleet.subList(AGENTS, 2 * AGENTS);
      giveUrl(database.url(), quick, agent.baseUrl() + EchoingAgent.AT_ONCE);
      giveUrl(database.url(), patient, agent.baseUrl() + EchoingAgent.PATIENT);
      giveUrl(database.url(), fleet.subList(2 * AGENTS, fleet.size()), hopeless.url());
      saturate(server, agent, database, quick);
      PacedRequests proxied =
          new PacedRequests(
              id -> server.baseUrl() + Messages.path(id), id -> Messages.fresh(), quick);
      pace(agent, proxied, quick);
      hold(server, agent, patient);
      besideTheHopeless(server, proxied, fleet.getLast());
    }
    System.out.println(table);
  }

  /** Ids of workspaces that may call each other, each with the token of the one before it. */
  private static List<String[]> siblings(String url, int size) throws Exception {
    List<String[]> fleet = BenchFleet.seed(url, size + 1);
    BenchFleet.execute(
        url,
        "UPDATE workspaces SET parent_id = '%1$s' WHERE id <> '%1$s'"
            .formatted(fleet.getFirst()[0]));
    List<String[]> siblings = new ArrayList<>();
    for (int i = 1; i <= size; i++) {
      siblings.add(new String[] {fleet.get(i)[0], fleet.get(i - 1)[1]});
    }
    return siblings;
  }

  private static void giveUrl(String url, List<String[]> agents, String agentUrl) throws Exception {
    BenchFleet.execute(
        url,
        """
        UPDATE workspaces SET delivery_mode = 'push', url = '%s', max_concurrent_tasks = 1000000
        WHERE id = ANY ('{%s}')
        """
            .formatted(
                agentUrl, agents.stream().map(agent -> agent[0]).collect(Collectors.joining(","))));
  }

  private void saturate(
      BenchProcess server, AgentProcess agent, BenchDatabase database, List<String[]> fleet)
      throws Exception {
    Path file = database.folder().resolve("fleet.txt");
    Files.write(file, fleet.stream().map(one -> one[0] + " " + one[1]).toList());
    Wrk toServer = new Wrk(server.baseUrl(), file);
    Wrk toAgent = new Wrk(agent.baseUrl(), file);
    System.out.println(calls(toServer, Messages.path("{id}"), WARM_UP_SECONDS));
    calls(toServer, "/bench/echo", WARM_UP_SECONDS / 4);
    calls(toAgent, EchoingAgent.AT_ONCE, WARM_UP_SECONDS / 4);
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

  private void pace(AgentProcess agent, PacedRequests proxied, List<String[]> fleet) {
    PacedRequests direct =
        new PacedRequests(
            id -> agent.baseUrl() + EchoingAgent.AT_ONCE, id -> Messages.fresh(), fleet);
    for (int perSecond : PER_SECOND) {
      direct.run(perSecond, seconds);
      proxied.run(perSecond, 2 * seconds);
    }
    for (int perSecond : PER_SECOND) {
      List<Paced> ofDirect = new ArrayList<>();
      List<Paced> ofProxied = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        ofDirect.add(Paced.run(direct, perSecond, 2 * seconds));
        ofProxied.add(Paced.run(proxied, perSecond, 2 * seconds));
        System.out.printf(
            "%d/s: direct %s, proxied %s%n", perSecond, ofDirect.getLast(), ofProxied.getLast());
      }
      List<Double> addedP50 = new ArrayList<>();
      List<Double> addedP99 = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        addedP50.add(ofProxied.get(round).p50() - ofDirect.get(round).p50());
        addedP99.add(ofProxied.get(round).p99() - ofDirect.get(round).p99());
      }
      table.append(
          """
          | direct call p50 / p99 at %1$d/s, ms | %2$s |
          | call through the proxy p50 / p99 at %1$d/s, ms | %3$s |
          | **added p50** at %1$d/s, ms | **%4$s** |
          | **added p99** at %1$d/s, ms | **%5$s** |
          | refused by the proxy at %1$d/s | %6$d of %7$,d |
          """
              .formatted(
                  perSecond,
                  Paced.text(ofDirect),
                  Paced.text(ofProxied),
                  Figures.of(addedP50).text("%.2f"),
                  Figures.of(addedP99).text("%.2f"),
                  ofProxied.stream().mapToInt(Paced::refused).sum(),
                  perSecond * 2 * seconds * rounds));
    }
  }

  /** One round of paced requests, in milliseconds; refused are those not answered with 200. */
  private record Paced(double p50, double p99, int refused) {

    static Paced run(PacedRequests requests, int perSecond, int forSeconds) {
      List<Double> sorted = requests.run(perSecond, forSeconds);
      return new Paced(
          sorted.get(sorted.size() / 2),
          sorted.get(sorted.size() * 99 / 100),
          perSecond * forSeconds - sorted.size());
    }

    static String text(List<Paced> rounds) {
      return Figures.of(rounds.stream().map(Paced::p50).toList()).text("%.2f")
          + " / "
          + Figures.of(rounds.stream().map(Paced::p99).toList()).text("%.2f");
    }
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
      Waits.until("not all turns come to the agent", () -> agent.waiting() == held);
      double each = (server.usedHeapKiB() - before) / held;
      long resident = server.residentMiB() - residentBefore;
      if (answered.get() > 0) {
        throw new IllegalStateException(answered + " turns do not wait");
      }
      long toldAt = System.nanoTime();
      agent.tell();
      Waits.until("not all turns are answered", () -> answered.get() == held);
      table.append(
          """
          | turns held at once, and all answered | %,d |
          | heap each holds, both connections included, KiB | %.1f |
          | memory of the server (RSS) grew by, MiB | %d |
          | from the agent's word to the last answer, ms | %,d |
          """
              .formatted(
                  held, each, resident, Duration.ofNanos(System.nanoTime() - toldAt).toMillis()));
      System.out.println(table);
    }
  }

  private void besideTheHopeless(BenchProcess server, PacedRequests proxied, String[] target)
      throws IOException {
    List<Double> alone = new ArrayList<>();
    List<Double> beside = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    long givenUp = 0;
    for (int round = 0; round < rounds; round++) {
      alone.add(Paced.run(proxied, BESIDE_THE_HOPELESS_PER_SECOND, 2 * seconds).p99());
      try (HopelessCallers hopeless = new HopelessCallers(server.port(), target, callers)) {
        hopeless.start();
        long before = hopeless.answers();
        beside.add(Paced.run(proxied, BESIDE_THE_HOPELESS_PER_SECOND, 2 * seconds).p99());
        givenUp += hopeless.answers() - before;
      }
      ratios.add(beside.getLast() / alone.getLast());
      System.out.printf("alone %.2f ms, beside %.2f ms%n", alone.getLast(), beside.getLast());
    }
    table.append(
        """
        | p99 at %1$d/s alone, ms | %2$s |
        | p99 at %1$d/s beside %3$,d callers of an agent that cannot be reached, ms | %4$s |
        | **ratio** | **%5$s** |
        | calls given up a second meanwhile | %6$.0f |
        """
            .formatted(
                BESIDE_THE_HOPELESS_PER_SECOND,
                Figures.of(alone).text("%.2f"),
                callers,
                Figures.of(beside).text("%.2f"),
                Figures.of(ratios).text("%.2f"),
                (double) givenUp / (2 * seconds * rounds)));
  }
}
