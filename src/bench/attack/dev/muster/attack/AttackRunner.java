package dev.muster.attack;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.OtherPrograms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs attacks on one server while the victim works there, and checks the server's log. */
final class AttackRunner {

  private static final int MAX_LOG_LINES = 150;
  private static final int MAX_LOG_LINES_PER_SECOND = 2;
  private static final double INTENSITY_TOGETHER = 0.1;

  /** An attack opens all its connections at once; latencies count afterwards. */
  static final Duration SETTLING = Duration.ofSeconds(2);

  /** A longer pause of the disk or the processors is added to the bound of the latency. */
  private static final Duration MAX_PAUSE = Duration.ofMillis(250);

  private final AttackedServer server;
  private final Victim victim;

  AttackRunner(AttackedServer server) {
    this.server = server;
    this.victim = new Victim(server);
  }

  /** Measures the victim without an attack. */
  Experience calm(Duration time) throws InterruptedException {
    server.awaitQuiet();
    return victim.live(Duration.ZERO, time);
  }

  /**
   * Runs one attack for both times; latencies, and what depends on them, count in the second time.
   */
  AttackResult run(Attack attack, Duration settling, Duration time, Experience calm)
      throws Exception {
    return run(attack.name(), List.of(attack), settling, time, calm);
  }

  /** Runs those of the attacks that run beside others. */
  AttackResult runTogether(List<Attack> attacks, Duration time, Experience calm) throws Exception {
    List<Attack> together = attacks.stream().filter(Attack::runsBesideOthers).toList();
    return run("all together", together, SETTLING, time, calm);
  }

  private AttackResult run(
      String name, List<Attack> attacks, Duration settling, Duration time, Experience calm)
      throws Exception {
    server.awaitQuiet();
    double intensity = attacks.size() == 1 ? 1 : INTENSITY_TOGETHER;
    List<AttackRun> runs = new ArrayList<>();
    Experience attacked;
    String logBefore;
    OtherPrograms others = new OtherPrograms();
    Duration pause;
    try (MachinePauses pauses = new MachinePauses()) {
      for (Attack attack : attacks) {
        AttackRun run = new AttackRun(server, settling.plus(time), intensity);
        runs.add(run);
        attack.preparation().prepare(run);
      }
      logBefore = server.log(); // the workspaces of attackers have lines too
      runs.forEach(AttackRun::begin);
      attacked = victim.live(settling, time);
      pause = pauses.longest();
    } finally {
      for (AttackRun run : runs) {
        run.end();
      }
    }
    boolean onSharedMachine = others.usedMuch();
    server.requireAlive();
    List<String> broken = new ArrayList<>();
    Map<String, Integer> outcomes = new TreeMap<>();
    for (int i = 0; i < runs.size(); i++) {
      String of = runs.size() == 1 ? "" : attacks.get(i).name() + ": ";
      runs.get(i).broken().forEach(promise -> broken.add(of + promise));
      runs.get(i)
          .outcomes()
          .forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
    }
    String logged = server.log().substring(logBefore.length());
    int lines = (int) logged.lines().count();
    broken.addAll(brokenInLog(logged, lines, time));
    return new AttackResult(
        name,
        calm,
        attacked,
        outcomes,
        lines,
        broken,
        onSharedMachine,
        pause.compareTo(MAX_PAUSE) > 0 ? pause : Duration.ZERO);
  }

  private static List<String> brokenInLog(String logged, int lines, Duration time) {
    List<String> broken = new ArrayList<>();
    if (lines > MAX_LOG_LINES + MAX_LOG_LINES_PER_SECOND * time.toSeconds()) {
      broken.add("the log does not grow with an attack: " + lines + " lines");
    }
    if (logged.contains(AnonymousAttacks.IN_QUERIES)) {
      broken.add("the log holds no query string");
    }
    logged
        .lines()
        .filter(line -> line.contains(" ERROR ") || line.contains("OutOfMemoryError"))
        .findFirst()
        .ifPresent(line -> broken.add("an attack is no error of the server: " + line));
    return broken;
  }
}
