package dev.muster.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * This build beside another: messages to push agents a second, and the processor time of the JVM
 * and of PostgreSQL for each. Each build has a server and a database of its own; rounds alternate,
 * so that other programs disturb both. Printed as a Markdown table.
 *
 * <p>Arguments: the folder of the other build, with its {@code classes} and {@code test-classes}
 * (compiled by {@code mvn test-compile}); optional: rounds (8), seconds a round (5).
 */
public final class MessagePairsBench {

  private static final int AGENTS = 100;
  private static final int CONNECTIONS = 64;

  /** Who sends the messages. */
  private enum Caller {
    AGENT,
    ADMIN
  }

  /** What a message cost in one round; times in microseconds. */
  private record Cost(double rate, double jvm, double postgres) {}

  /** A build that is measured. */
  private record Build(
      BenchDatabase database, BenchProcess server, List<String[]> fleet, List<List<Cost>> costs)
      implements AutoCloseable {

    static Build start(List<String> command, AgentProcess agent) throws Exception {
      BenchDatabase database = BenchDatabase.start();
      BenchProcess server =
          BenchProcess.start(command, database.url(), Map.of("AGENT_URL_ALLOW", "loopback"));
      List<String[]> fleet =
          CallableFleet.seed(database.url()).at(agent.baseUrl() + EchoingAgent.AT_ONCE, AGENTS);
      return new Build(database, server, fleet, List.of(new ArrayList<>(), new ArrayList<>()));
    }

    Wrk callsBy(Caller caller) throws IOException {
      Path file = database.folder().resolve(caller + ".txt");
      Files.write(
          file,
          fleet.stream()
              .map(one -> one[0] + " " + (caller == Caller.ADMIN ? AdminClient.TOKEN : one[1]))
              .toList());
      return new Wrk(server.baseUrl(), file);
    }

    Cost measure(Caller caller, int seconds) throws IOException {
      Duration jvm = server.processorTime();
      Duration postgres = ofPostgres();
      Wrk.Round round =
          callsBy(caller).run("message.lua", Messages.path("{id}"), CONNECTIONS, seconds);
      if (round.refused() > 0) {
        throw new IllegalStateException("messages were refused: " + round);
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

  private MessagePairsBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 8;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    String own = System.getProperty("java.class.path");
    try (AgentProcess agent = AgentProcess.start();
        Build before = Build.start(command(otherPath(args[0], own)), agent);
        Build now = Build.start(command(own), agent)) {
      for (Build build : List.of(before, now)) {
        CallableFleet.warmUp(build.callsBy(Caller.AGENT), CONNECTIONS);
        build.measure(Caller.ADMIN, 2 * seconds);
      }
      for (int round = 0; round < rounds; round++) {
        for (Build build : round % 2 == 0 ? List.of(before, now) : List.of(now, before)) {
          for (Caller caller : Caller.values()) {
            Cost cost = build.measure(caller, seconds);
            build.costs().get(caller.ordinal()).add(cost);
            System.out.println(
                (build == now ? "this build, " : "the other, ") + caller + ": " + cost);
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
    for (Caller caller : Caller.values()) {
      List<Cost> old = before.costs().get(caller.ordinal());
      List<Cost> own = now.costs().get(caller.ordinal());
      String of = " of " + (caller == Caller.ADMIN ? "the admin" : "agents");
      row(table, "messages/s" + of, rates(old), rates(own));
      row(table, "JVM, µs a message" + of, jvm(old), jvm(own));
      row(table, "PostgreSQL, µs a message" + of, postgres(old), postgres(own));
    }
    return table.toString();
  }

  private static List<Double> rates(List<Cost> costs) {
    return costs.stream().map(Cost::rate).toList();
  }

  private static List<Double> jvm(List<Cost> costs) {
    return costs.stream().map(Cost::jvm).toList();
  }

  private static List<Double> postgres(List<Cost> costs) {
    return costs.stream().map(Cost::postgres).toList();
  }

  private static void row(StringBuilder table, String what, List<Double> before, List<Double> now) {
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
