package dev.muster.bench;

import dev.muster.bench.DepthTable.Figure;
import dev.muster.bench.DepthTable.Outcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Delegations that wait for a callee without space, and ended ones that are kept. */
final class LedgerDepth implements DepthBench.Backlog {

  private static final int[] WAITING = {100, 1_000, 10_000};
  private static final int[] ENDED = {10_000, 100_000, 1_000_000};
  private static final int QUEUE_LIMIT = 1_000;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final Figure DISPATCHED =
      Figure.of(
              "100, 1,000, 10,000 delegations to a full callee",
              "until one to another callee is dispatched, by a job each 15 s, s",
              "%.1f")
          .atMost(30);
  private static final String KEPT = "10,000, 100,000, 1,000,000 ended delegations";
  private static final Figure RETENTION =
      Figure.of(KEPT, "retention that finds nothing to delete, ms", "%.0f");
  private static final Figure RARE_STATUS =
      Figure.of(KEPT, "a page of a caller with a rare status, ms", "%.1f");

  private static final String RUNS =
      "SELECT coalesce(sum(runs), 0) FROM job_runs WHERE job = 'delegation-retention'";

  private final DepthServer server;
  private final String[] caller;
  private final String full;
  private final String free;
  private int waiting;
  private int ended;

  LedgerDepth(DepthServer server) throws Exception {
    this.server = server;
    List<String[]> fleet = server.seed(3);
    this.caller = fleet.get(0);
    this.full = fleet.get(1)[0];
    this.free = fleet.get(2)[0];
    server.execute(
        "UPDATE workspaces SET parent_id = '%s' WHERE id IN ('%s', '%s')"
            .formatted(caller[0], full, free));
    server.execute(
        """
        UPDATE workspaces SET delivery_mode = 'push', url = 'http://127.0.0.1:9/' WHERE id = '%1$s';
        UPDATE workspace_heartbeats SET status = 'offline' WHERE workspace_id = '%1$s'
        """
            .formatted(full));
    BenchBacklog.queue(
        server,
        "SELECT '%s'::uuid AS workspace_id, '%s'::uuid AS sender_id".formatted(full, caller[0]),
        QUEUE_LIMIT);
    delegate("rare", "failed", free, 1);
  }

  @Override
  public void measure(int size) throws Exception {
    dispatch(size);
    delegate("ended-" + size, "completed", free, ENDED[size] - ended);
    ended = ENDED[size];
    server.settle();
    runRetention(size);
    readRareStatus(size);
  }

  private void dispatch(int size) throws Exception {
    String other = "other-" + size;
    delegate("waiting-" + size, "queued", full, WAITING[size] - waiting);
    waiting = WAITING[size];
    server.settle();
    server.measure(
        size,
        () -> {
          delegate(other, "queued", free, 1);
          double seconds =
              server.secondsUntil(
                  "SELECT status <> 'queued' FROM delegations WHERE delegation_id = '%s-1'"
                      .formatted(other),
                  LIMIT);
          return Outcome.of(DISPATCHED, seconds, 0);
        });
  }

  private void runRetention(int size) throws Exception {
    server.measure(
        size,
        () -> {
          long runs = server.number(RUNS);
          server.execute(
              "UPDATE retention_jobs SET execution_time = now() WHERE task_name ="
                  + " 'delegation-retention'");
          double _ = server.secondsUntil("SELECT (" + RUNS + ") > " + runs, LIMIT);
          return Outcome.of(
              RETENTION,
              server.number("SELECT duration_ms FROM job_runs WHERE job = 'delegation-retention'"),
              0);
        });
  }

  /** The status of one delegation, which was ended before all others. */
  private void readRareStatus(int size) throws Exception {
    String path = "/workspaces/" + caller[0] + "/delegations?direction=sent&status=failed";
    server.measure(size, () -> DepthBench.reads(server, RARE_STATUS, path, caller[1]));
  }

  private void delegate(String name, String status, String callee, int count) throws SQLException {
    BenchBacklog.delegate(
        server,
        name,
        status,
        "SELECT '%s'::uuid AS caller_id, '%s'::uuid AS callee_id".formatted(caller[0], callee),
        count);
  }
}
