package dev.muster.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * This build beside another: messages to push agents, heartbeats and polls a second, and the
 * processor time of the JVM and of PostgreSQL for each. Each build has a server and a database of
 * its own; rounds alternate, so that other programs disturb both. Printed as a Markdown table.
 *
 * <p>Arguments: the folder of the other build, with its {@code classes} and {@code test-classes}
 * (compiled by {@code mvn test-compile}); optional: rounds (8), seconds a round (5).
 */
public final class PairsBench {

  private static final int AGENTS = 100;
  private static final int CONNECTIONS = 64;

  /** What is sent, by which script. */
  private enum Request {
    MESSAGE_OF_AGENT("messages of agents", "message.lua", Messages.path("{id}")),
    MESSAGE_OF_ADMIN("messages of the admin", "message.lua", Messages.path("{id}")),
    HEARTBEAT("heartbeats", "heartbeat.lua", "/registry/heartbeat"),
    POLL("polls of a page", "poll.lua", "?type=a2a_receive&wait=0");

    private final String text;
    private final String script;
    private final String path;

    Request(String text, String script, String path) {
      this.text = text;
      this.script = script;
      this.path = path;
    }
  }

  /** What a request cost in one round; times in microseconds. */
  private record Cost(double rate, double jvm, double postgres) {}

  /** A build that is measured. */
  private record Build(
      BenchDatabase database,
      BenchProcess server,
      List<String[]> fleet,
      Map<Request, List<Cost>> costs)
      implements AutoCloseable {

    static Build start(List<String> command, AgentProcess agent) throws Exception {
      BenchDatabase database = BenchDatabase.start();
      BenchProcess server =
          BenchProcess.start(command, database.url(), Map.of("AGENT_URL_ALLOW", "loopback"));
      List<String[]> fleet =
          CallableFleet.seed(database.url()).at(agent.baseUrl() + EchoingAgent.AT_ONCE, AGENTS);
      return new Build(database, server, fleet, new EnumMap<>(Request.class));
    }

    /** Each agent is called with the token of the agent before it. */
    Wrk sending(Request request) throws IOException {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < fleet.size() - 1; i++) {
        String token =
            switch (request) {
              case MESSAGE_OF_AGENT -> fleet.get(i)[1];
              case MESSAGE_OF_ADMIN -> AdminClient.TOKEN;
              case HEARTBEAT, POLL -> fleet.get(i + 1)[1];
            };
        lines.add(fleet.get(i)[0] + " " + token);
      }
      Path file = database.folder().resolve(request + ".txt");
      Files.write(file, lines);
      return new Wrk(server.baseUrl(), file);
    }

    Cost measure(Request request, int seconds) throws IOException {
      Duration jvm = server.processorTime();
      Duration postgres = ofPostgres();
      Wrk.Round round = sending(request).run(request.script, request.path, CONNECTIONS, seconds);
      if (round.refused() > 0) {
        throw new IllegalStateException(request.text + " were refused: " + round);
      }
      return new Cost(
          round.requestsPerSecond(),
          micros(server.processorTime().minus(jvm), round),
          micros(ofPostgres().minus(postgres), round));
    }

    private static double micros(Duration took, Wrk.Round round) {
      return took.toNanos() / 1e3 / round.requests();
    }

    private Duration ofPostgres() throws IOException {
      try (Stream<Path> files = Files.walk(database.folder())) {
        Path pid = files.filter(file -> file.endsWith("postmaster.pid")).findFirst().orElseThrow();
        long main = Long.parseLong(Files.readAllLines(pid).getFirst());
        return ProcessHandle.of(main)
            .orElseThrow()
            .descendants()
            .map(BenchProcess::processorTime)
            .reduce(Duration.ZERO, Duration::plus);
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
      database.close();
    }
  }

  private PairsBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 8;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    String own = System.getProperty("java.class.path");
    try (AgentProcess agent = AgentProcess.start();
        Build before = Build.start(command(otherPath(args[0], own)), agent);
        Build now = Build.start(command(own), agent)) {
      for (Build build : List.of(before, now)) {
        CallableFleet.warmUp(build.sending(Request.MESSAGE_OF_AGENT), CONNECTIONS);
        for (Request request : Request.values()) {
          build.measure(request, 2 * seconds);
        }
      }
      for (int round = 0; round < rounds; round++) {
        for (Build build : round % 2 == 0 ? List.of(before, now) : List.of(now, before)) {
          for (Request request : Request.values()) {
            Cost cost = build.measure(request, seconds);
            build.costs().computeIfAbsent(request, _ -> new ArrayList<>()).add(cost);
            System.out.println(
                (build == now ? "this build, " : "the other, ") + request + ": " + cost);
          }
        }
      }
      System.out.println(table(before, now));
    }
  }

  /** Returns the class path with the classes of another build instead of this one's. */
  private static String otherPath(String folder, String own) {
    List<String> libraries =
        Stream.of(own.split(File.pathSeparator)).filter(one -> one.endsWith(".jar")).toList();
    return String.join(
        File.pathSeparator,
        Stream.concat(Stream.of(folder + "/test-classes", folder + "/classes"), libraries.stream())
            .toList());
  }

  private static List<String> command(String classPath) {
    return List.of(BenchProcess.java(), "-classpath", classPath, BenchServer.class.getName());
  }

  private static String table(Build before, Build now) {
    StringBuilder table =
        new StringBuilder("| | the other build | this build | this ÷ other |\n|---|---|---|---|\n");
    for (Request request : Request.values()) {
      List<Cost> old = Objects.requireNonNull(before.costs().get(request));
      List<Cost> own = Objects.requireNonNull(now.costs().get(request));
      row(table, request.text + "/s", old, own, Cost::rate);
      row(table, "JVM, µs for each", old, own, Cost::jvm);
      row(table, "PostgreSQL, µs for each", old, own, Cost::postgres);
    }
    return table.toString();
  }

  private static void row(
      StringBuilder table,
      String what,
      List<Cost> old,
      List<Cost> own,
      Function<Cost, Double> figure) {
    List<Double> before = old.stream().map(figure).toList();
    List<Double> now = own.stream().map(figure).toList();
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      ratios.add(now.get(i) / before.get(i));
    }
    table.append(
        "| %s | %s | %s | **%s** |\n"
            .formatted(
                what,
                Figures.of(before).text("%,.0f"),
                Figures.of(now).text("%,.0f"),
                Figures.of(ratios).text("%.2f")));
  }
}
