package dev.muster.bench;

import dev.muster.bench.ClosedLoop.Load;
import dev.muster.bench.DepthTable.Figure;
import dev.muster.bench.DepthTable.Outcome;
import java.util.List;
import java.util.Map;

/** Long feeds: messages that were delivered by push, and rows that an agent reported itself. */
final class FeedDepth implements DepthBench.Backlog {

  private static final int[] ROWS = {10_000, 100_000, 1_000_000};
  private static final int POLLS = 50;
  private static final int POLLS_AT_ONCE = 400;
  private static final int POLLERS = 20;

  private static final String DELIVERED = "10,000, 100,000, 1,000,000 delivered rows of an agent";
  private static final Figure POLL =
      Figure.of(DELIVERED, "default poll after the change from push to poll, ms", "%.1f")
          .atMost(20);
  private static final Figure SLOWEST_POLL =
      Figure.of(DELIVERED, "the slowest of the first 50, ms", "%.0f");
  private static final Figure SLOWEST_OF_MANY =
      Figure.of(DELIVERED, "the slowest when 20 poll at once, ms", "%.0f");
  private static final Figure RARE_STATE =
      Figure.of(DELIVERED, "a page of the queue with a rare state, ms", "%.1f");
  private static final Figure NO_MATCH =
      Figure.of(
          "10,000, 100,000, 1,000,000 rows of the agent itself",
          "a read whose filter matches none, ms",
          "%.1f");

  private final DepthServer server;
  private final List<String[]> called;
  private final List<String[]> reporting;

  FeedDepth(DepthServer server) throws Exception {
    this.server = server;
    List<String[]> fleet = server.seed(2 * ROWS.length);
    this.called = fleet.subList(0, ROWS.length);
    this.reporting = fleet.subList(ROWS.length, fleet.size());
  }

  @Override
  public void measure(int size) throws Exception {
    BenchBacklog.deliver(server, called.get(size)[0], ROWS[size]);
    BenchBacklog.report(server, reporting.get(size)[0], ROWS[size]);
    server.settle();
    pollAfterTheChange(size);
    pollAtOnce(size);
    readRareState(size);
    readWithoutMatch(size);
  }

  private void pollAfterTheChange(int size) throws Exception {
    String[] agent = called.get(size);
    server.execute(
        "UPDATE workspaces SET delivery_mode = 'push', url = 'http://127.0.0.1:9/', version = version + 1 WHERE id = '%s'"
            .formatted(agent[0]));
    server.measure(
        size,
        () -> {
          server.admin.patch("/workspaces/" + agent[0], "{\"delivery_mode\":\"poll\"}");
          Load load = ClosedLoop.run(server.port(), 1, POLLS, n -> poll(agent));
          return new Outcome(
              Map.of(POLL, load.median(), SLOWEST_POLL, load.slowest()), load.refused());
        });
  }

  /** Before anything of the feed is marked as delivered. */
  private void pollAtOnce(int size) throws Exception {
    String[] agent = called.get(size);
    BenchBacklog.forgetDelivered(server, agent[0]);
    server.measure(
        size,
        () -> {
          Load load = ClosedLoop.run(server.port(), POLLERS, POLLS_AT_ONCE, n -> poll(agent));
          return Outcome.of(SLOWEST_OF_MANY, load.slowest(), load.refused());
        });
  }

  private static String poll(String[] agent) {
    return ClosedLoop.get("/workspaces/" + agent[0] + "/activity?type=a2a_receive", agent[1]);
  }

  private void readRareState(int size) throws Exception {
    server.measure(
        size,
        () ->
            DepthBench.reads(
                server, RARE_STATE, "/admin/a2a-queue?state=failed", AdminClient.TOKEN));
  }

  private void readWithoutMatch(int size) throws Exception {
    String[] agent = reporting.get(size);
    String read = "/workspaces/%1$s/activity?source=agent&peer_id=%1$s".formatted(agent[0]);
    server.measure(size, () -> DepthBench.reads(server, NO_MATCH, read, agent[1]));
  }
}
