package dev.muster.attack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the long form: every attack alone for a minute, then all together, or one of them.
 * Arguments: the name of an attack, {@code all}, {@code together} or {@code fuzz}; minutes; for the
 * fuzzer the number of requests and the seed.
 */
public final class AttackMain {

  private static final Duration WARM_UP = Duration.ofSeconds(20);
  private static final Duration CALM = Duration.ofSeconds(15);
  private static final Duration MAX_TIME_ALONE = Duration.ofMinutes(1);

  private static final int FUZZED_REQUESTS = 100_000;

  private AttackMain() {}

  public static void main(String[] args) throws Exception {
    String name = args.length > 0 ? args[0] : "all";
    Duration time =
        Duration.ofMillis((long) (60_000 * Double.parseDouble(args.length > 1 ? args[1] : "10")));
    int requests = args.length > 2 ? Integer.parseInt(args[2]) : FUZZED_REQUESTS;
    long seed = args.length > 3 ? Long.parseLong(args[3]) : System.currentTimeMillis();
    boolean kept = name.equals("fuzz") ? fuzz(requests, seed) : run(name, time);
    System.exit(kept ? 0 : 1);
  }

  /** Uses a server without rate limits, which would answer nearly all of them with 429. */
  private static boolean fuzz(int requests, long seed) throws Exception {
    System.out.println("seed " + seed + ", " + requests + " requests");
    try (AttackedServer server = AttackedServer.startWithoutRateLimits()) {
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
      Fuzzer fuzzer = new Fuzzer(server, seed);
      fuzzer.run(requests);
      System.out.println("statuses " + fuzzer.statuses());
      for (Fuzzer.Fault fault : fuzzer.faults()) {
        System.out.println(fault.count() + " × " + fault.kind());
        fault.examples().forEach(example -> System.out.println("  " + example));
      }
      return fuzzer.faults().isEmpty();
    }
  }

  private static boolean run(String name, Duration time) throws Exception {
    boolean all = name.equals("all");
    boolean together = all || name.equals("together");
    if (!together) {
      Attacks.named(name);
    }
    try (AttackedServer server = AttackedServer.start()) {
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
      AttackRunner runner = new AttackRunner(server);
      runner.calm(WARM_UP);
      System.out.println(AttackResult.tableHead());
      List<AttackResult> results = new ArrayList<>();
      Duration alone = all && time.compareTo(MAX_TIME_ALONE) > 0 ? MAX_TIME_ALONE : time;
      for (Attack attack : attacks(name)) {
        results.add(print(runner.run(attack, AttackRunner.SETTLING, alone, runner.calm(CALM))));
      }
      if (together) {
        results.add(print(runner.runTogether(Attacks.all(), time, runner.calm(CALM))));
      }
      System.out.println();
      for (AttackResult result : results) {
        result
            .faults(AttackResult.FLOOR)
            .forEach(fault -> System.out.println(result.name() + ": " + fault));
      }
      return results.stream().allMatch(result -> result.faults(AttackResult.FLOOR).isEmpty());
    }
  }

  /** The attacks that run alone. */
  private static List<Attack> attacks(String name) {
    return switch (name) {
      case "all" -> Attacks.all();
      case "together" -> List.of();
      default -> List.of(Attacks.named(name));
    };
  }

  private static AttackResult print(AttackResult result) {
    System.out.println(result.tableRow());
    return result;
  }
}
