package dev.muster.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the server takes from the start of its process to the first 200 of {@code /ready}, on a
 * database that is up and has 200 agents: as a jar, as the release folder without its ahead-of-time
 * cache, and with it, in turn.
 *
 * <p>Argument, optional: rounds (11). {@code src/build/archive} has made what is measured.
 */
public final class StartBench {

  private static final int AGENTS = 200;

  private StartBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 11;
    List<Program> programs = List.of(Program.jar(), Program.folder(), Program.release());
    Map<Program, List<Double>> seconds = new LinkedHashMap<>();
    try (BenchDatabase database = BenchDatabase.start()) {
      try (BenchProcess _ =
          BenchProcess.start(programs.getFirst().command(), database.url(), Map.of())) {
        BenchFleet.seed(database.url(), AGENTS);
      }
      for (int round = 0; round < rounds; round++) {
        for (Program program : programs) {
          long begin = System.nanoTime();
          try (BenchProcess _ = BenchProcess.start(program.command(), database.url(), Map.of())) {
            double took = (System.nanoTime() - begin) / 1e9;
            System.out.printf("%s: %.2f s%n", program.name(), took);
            seconds.computeIfAbsent(program, _ -> new ArrayList<>()).add(took);
          }
        }
      }
    }
    double jar = Figures.of(seconds.get(programs.getFirst())).median();
    System.out.println("| | start, s | of the jar's |\n|---|---|---|");
    seconds.forEach((program, all) -> {
      Figures figures = Figures.of(all);
      System.out.printf(
          "| %s | %s | %.2f |%n", program.name(), figures.text("%.2f"), figures.median() / jar);
    });
  }
}
