package dev.muster.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Long polls: the time until they are answered, on the replica that appended and on another; the
 * heap that each holds; and the rate of empty answers of a server. Printed as a Markdown table.
 *
 * <p>Arguments, all optional: seconds a round (10), rounds (3), idle polls (10,000), appends a
 * second (1,000).
 */
public final class PollBench {

  private static final int FEEDS = 1_000;
  private static final int CONNECTIONS = 64;
  private static final String EMPTY_POLL = "?type=a2a_receive&wait=0";
  private static final int WARM_UP_SECONDS = 10;

  /** Shares of the measured rate, which is too high for a server that has just started. */
  private static final int[] WARM_UP_SLOWER = {10, 5, 3, 2, 1};

  private static final double GIB_IN_KIB = 1 << 20;

  private final int seconds;
  private final int rounds;
  private final int idle;
  private final int perSecond;
  private final StringBuilder table = new StringBuilder("| | |\n|---|---|\n");

  private PollBench(int seconds, int rounds, int idle, int perSecond) {
    this.seconds = seconds;
    this.rounds = rounds;
    this.idle = idle;
    this.perSecond = perSecond;
  }

  public static void main(String[] args) throws Exception {
    new PollBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 10,
            args.length > 1 ? Integer.parseInt(args[1]) : 3,
            args.length > 2 ? Integer.parseInt(args[2]) : 10_000,
            args.length > 3 ? Integer.parseInt(args[3]) : 1_000)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess first = BenchProcess.start(database.url())) {
      List<String[]> fleet = BenchFleet.seed(database.url(), FEEDS + idle);
      List<String[]> busy = fleet.subList(0, FEEDS);
      List<String[]> quiet = fleet.subList(FEEDS, fleet.size());
      pollAgainAndAgain(first, database.folder(), quiet);
      holdIdle(first, quiet);
      String[] cursors = new String[busy.size()];
      Arrays.fill(cursors, "");
      wake("polled on the same replica", first, first, busy, cursors);
      try (BenchProcess second = BenchProcess.start(database.url())) {
        warmUp(second, database.folder(), quiet);
        wake("polled on another replica", second, first, busy, cursors);
      }
    }
    System.out.println(table);
  }

  private void wake(
      String name,
      BenchProcess polled,
      BenchProcess appended,
      List<String[]> fleet,
      String[] cursors)
      throws IOException {
    for (int slower : WARM_UP_SLOWER) {
      wake(polled, appended, fleet, cursors, WARM_UP_SECONDS, Math.max(1, perSecond / slower));
    }
    Rows rows = new Rows(name);
    for (int round = 0; round < rounds; round++) {
      rows.add(wake(polled, appended, fleet, cursors, seconds, perSecond));
    }
    table.append(rows.text());
  }

  private WaitingPolls.Latencies wake(
      BenchProcess polled,
      BenchProcess appended,
      List<String[]> fleet,
      String[] cursors,
      int forSeconds,
      int rate)
      throws IOException {
    try (var polls = new WaitingPolls(polled.port(), appended.port(), fleet, rate * forSeconds)) {
      WaitingPolls.Latencies latencies = polls.run(cursors, rate);
      System.out.printf(
          "%d/s: from sent %.2f / %.2f ms, from answered %.2f / %.2f ms%n",
          rate,
          at(latencies.fromSent(), 50),
          at(latencies.fromSent(), 99),
          at(latencies.fromAnswered(), 50),
          at(latencies.fromAnswered(), 99));
      return latencies;
    }
  }

  private static double at(List<Double> sorted, int percent) {
    return sorted.get(sorted.size() * percent / 100);
  }

  /** The rounds of one setup. */
  private record Rows(String name, List<WaitingPolls.Latencies> rounds) {

    Rows(String name) {
      this(name, new ArrayList<>());
    }

    void add(WaitingPolls.Latencies latencies) {
      rounds.add(latencies);
    }

    String text() {
      return row("append sent → ", 50, true)
          + row("append sent → ", 99, true)
          + row("append answered → ", 50, false)
          + row("append answered → ", 99, false);
    }

    private String row(String from, int percent, boolean sent) {
      List<Double> values =
          rounds.stream()
              .map(round -> at(sent ? round.fromSent() : round.fromAnswered(), percent))
              .toList();
      return "| %s%s, p%d, ms | %s |%n"
          .formatted(from, name, percent, Figures.of(values).text("%.2f"));
    }
  }

  private void holdIdle(BenchProcess server, List<String[]> fleet) throws IOException {
    double before = server.usedHeapKiB();
    long residentBefore = server.residentMiB();
    AtomicInteger answered = new AtomicInteger();
    try (ManySockets sockets =
        new ManySockets(
            server.port(),
            fleet.size(),
            (same, connection, answer, at) -> {
              if (answer.startsWith("HTTP/1.1 503")) {
                same.send(connection, WaitingPolls.poll(fleet.get(connection), ""));
              } else {
                answered.incrementAndGet();
              }
            })) {
      for (int i = 0; i < fleet.size(); i++) {
        sockets.send(i, WaitingPolls.poll(fleet.get(i), ""));
        // slow enough that hardly any is refused
        LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
      }
      LockSupport.parkNanos(Duration.ofSeconds(5).toNanos());
      double each = (server.usedHeapKiB() - before) / fleet.size();
      if (answered.get() > 0) {
        throw new IllegalStateException(answered + " polls do not wait");
      }
      table.append(
          """
          | idle polls held | %,d |
          | heap each holds, its connection included, KiB | %.1f |
          | **idle polls in a GiB of heap** | **%,.0f** |
          | memory of the server (RSS) grew by, MiB | %d |
          """
              .formatted(
                  fleet.size(), each, GIB_IN_KIB / each, server.residentMiB() - residentBefore));
      System.out.println(table);
    }
  }

  private void pollAgainAndAgain(BenchProcess server, Path folder, List<String[]> fleet)
      throws IOException {
    Wrk wrk = warmUp(server, folder, fleet);
    wrk.run("/bench/echo", CONNECTIONS, WARM_UP_SECONDS);
    List<Double> polls = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      double echo = wrk.run("/bench/echo", CONNECTIONS, seconds).requestsPerSecond();
      Wrk.Round ofPolls = wrk.run("poll.lua", EMPTY_POLL, CONNECTIONS, seconds);
      System.out.printf("%s, %.0f echoes/s%n", ofPolls, echo);
      if (ofPolls.refused() > 0) {
        throw new IllegalStateException("polls were refused");
      }
      polls.add(ofPolls.requestsPerSecond());
      ratios.add(ofPolls.requestsPerSecond() / echo);
    }
    table.append(
        "| polls/s that find nothing, %d connections | %s |%n| the same ÷ echo requests/s | %s |%n"
            .formatted(
                CONNECTIONS, Figures.of(polls).text("%,.0f"), Figures.of(ratios).text("%.2f")));
  }

  private static Wrk warmUp(BenchProcess server, Path folder, List<String[]> fleet)
      throws IOException {
    Path file = folder.resolve("fleet.txt");
    Files.write(file, fleet.stream().limit(FEEDS).map(agent -> agent[0] + " " + agent[1]).toList());
    Wrk wrk = new Wrk(server.baseUrl(), file);
    wrk.run("poll.lua", EMPTY_POLL, CONNECTIONS, 2 * WARM_UP_SECONDS);
    return wrk;
  }
}
