package dev.muster.bench;

import dev.muster.testing.SaturatedListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The effect on calls of other agents of many callers of some agents: agents that read messages and
 * never answer; unreachable agents, whose callers time out and call again; and, for comparison,
 * agents that answer after the same time. Paced calls alone and beside each of them in turn,
 * printed as a Markdown table. A hundredth of one round's calls is a handful, so the p99 is that of
 * the calls of all rounds together.
 *
 * <p>Arguments, all optional: seconds a round (10), rounds (5), callers (1,000), paced calls a
 * second (100).
 */
public final class BlackHoleBench {

  private static final int AGENTS = 100;
  private static final int WARM_UP_CONNECTIONS = 64;

  /**
   * A replica sends at most 64 deliveries to a target at once, so more callers call several agents.
   */
  private static final int MAX_CALLERS_OF_AN_AGENT = 60;

  /** The load beside the paced calls. */
  private enum Neighbour {
    NONE("alone"),
    SILENT("beside %,d callers of agents that never answer"),
    UNREACHABLE("beside %,d callers of unreachable agents, which time out after %d s"),
    SLOW("beside %,d callers of agents that answer after %d s");

    private final String words;

    Neighbour(String words) {
      this.words = words;
    }
  }

  /** One round and its costs; {@code ended} is the number of other calls that ended, a second. */
  private record Round(List<Double> latencies, double ended, double ofServer, double ofCallers) {}

  private final int seconds;
  private final int rounds;
  private final int callers;
  private final int perSecond;
  private final Map<Neighbour, List<Round>> measured = new EnumMap<>(Neighbour.class);

  private BlackHoleBench(int seconds, int rounds, int callers, int perSecond) {
    this.seconds = seconds;
    this.rounds = rounds;
    this.callers = callers;
    this.perSecond = perSecond;
    Arrays.stream(Neighbour.values())
        .forEach(neighbour -> measured.put(neighbour, new ArrayList<>()));
  }

  public static void main(String[] args) throws Exception {
    new BlackHoleBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 10,
            args.length > 1 ? Integer.parseInt(args[1]) : 5,
            args.length > 2 ? Integer.parseInt(args[2]) : 1_000,
            args.length > 3 ? Integer.parseInt(args[3]) : 100)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        AgentProcess agent = AgentProcess.start();
        SaturatedListener hopeless = new SaturatedListener();
        BenchProcess server =
            BenchProcess.start(database.url(), Map.of("AGENT_URL_ALLOW", "loopback"))) {
      CallableFleet fleet = CallableFleet.seed(database.url());
      List<String[]> quick = fleet.at(agent.baseUrl() + EchoingAgent.AT_ONCE, AGENTS);
      int agents = Math.ceilDiv(callers, MAX_CALLERS_OF_AN_AGENT);
      List<String[]> silent = fleet.at(agent.baseUrl() + EchoingAgent.HELD, agents);
      List<String[]> unreachable = fleet.at(hopeless.url(), agents);
      List<String[]> slow = fleet.at(agent.baseUrl() + EchoingAgent.SLOW, agents);
      Path file = database.folder().resolve("fleet.txt");
      Files.write(file, quick.stream().map(one -> one[0] + " " + one[1]).toList());
      CallableFleet.warmUp(new Wrk(server.baseUrl(), file), WARM_UP_CONNECTIONS);
      PacedRequests calls =
          new PacedRequests(
              id -> server.baseUrl() + Messages.path(id), id -> Messages.fresh(), quick);
      calls.run(perSecond, seconds);
      for (int round = 0; round < rounds; round++) {
        add(Neighbour.NONE, round(server, calls, null));
        try (ManyCallers others = ManyCallers.ofSilent(server.port(), silent, callers, agent)) {
          others.start();
          add(Neighbour.SILENT, round(server, calls, others));
        }
        try (ManyCallers others = ManyCallers.ofUnreachable(server.port(), unreachable, callers)) {
          others.start();
          add(Neighbour.UNREACHABLE, round(server, calls, others));
        }
        try (ManyCallers others = ManyCallers.ofSlow(server.port(), slow, callers)) {
          others.start();
          add(Neighbour.SLOW, round(server, calls, others));
        }
      }
    }
    print();
  }

  private void add(Neighbour neighbour, Round round) {
    System.out.println(neighbour + " " + paced(List.of(round)));
    of(neighbour).add(round);
  }

  private List<Round> of(Neighbour neighbour) {
    return measured.getOrDefault(neighbour, List.of());
  }

  private Round round(BenchProcess server, PacedRequests calls, @Nullable ManyCallers others) {
    long endedBefore = others == null ? 0 : others.answers();
    Duration serverBefore = server.processorTime();
    Duration ownBefore = BenchProcess.processorTime(ProcessHandle.current());
    long began = System.nanoTime();
    List<Double> latencies = calls.run(perSecond, seconds);
    double took = (System.nanoTime() - began) / 1e9;
    return new Round(
        latencies,
        ((others == null ? 0 : others.answers()) - endedBefore) / took,
        seconds(server.processorTime().minus(serverBefore)) / took,
        seconds(BenchProcess.processorTime(ProcessHandle.current()).minus(ownBefore)) / took);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private void print() {
    System.out.printf(
        "| %d calls/s, %d in all | p50 / p99 of all, ms | p99 ÷ alone | p99 ÷ alone, of each round"
            + " | others end a second | processors of server, callers"
            + " |%n|---|---|---|---|---|---|%n",
        perSecond, perSecond * seconds * rounds);
    Paced alone = paced(of(Neighbour.NONE));
    measured.forEach((neighbour, ofIt) -> {
      Paced all = paced(ofIt);
      System.out.printf(
          Locale.ROOT,
          "| %s | %.1f / %.1f | **%.2f** | %s | %.0f | %.2f, %.2f |%n",
          neighbour.words.formatted(callers, ManyCallers.TIMEOUT.toSeconds()),
          all.p50(),
          all.p99(),
          all.p99() / alone.p99(),
          ratio(ofIt),
          mean(ofIt, Round::ended),
          mean(ofIt, Round::ofServer),
          mean(ofIt, Round::ofCallers));
    });
  }

  private Paced paced(List<Round> rounds) {
    return Paced.of(
        rounds.stream().flatMap(round -> round.latencies().stream()).sorted().toList(),
        perSecond * seconds * rounds.size());
  }

  private String ratio(List<Round> beside) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      ratios.add(
          paced(List.of(beside.get(round))).p99()
              / paced(List.of(of(Neighbour.NONE).get(round))).p99());
    }
    return Figures.of(ratios).text("%.2f");
  }

  private static double mean(List<Round> of, ToDoubleFunction<Round> figure) {
    return of.stream().collect(Collectors.averagingDouble(figure));
  }
}
