package dev.muster.bench;

import dev.muster.bench.ClosedLoop.Load;
import dev.muster.bench.DepthTable.Figure;
import dev.muster.bench.DepthTable.Outcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A branch of workspaces that is removed. */
final class RemovalDepth implements DepthBench.Backlog {

  private static final int[] BRANCH = {100, 1_000, 10_000};
  private static final int PEERS = 100;
  private static final int QUEUED_FOR_EACH = 6;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final String BACKLOG =
      "a branch of 100, 1,000, 10,000 workspaces, each with 6 queued messages and 2 delegations";
  private static final Figure REQUEST =
      Figure.of(BACKLOG, "the request that removes it, ms", "%.0f");
  private static final Figure ALL =
      Figure.of(BACKLOG, "until all is removed, s", "%.1f").atMost(30);

  /** A tree, in which each has ten children. */
  private static final String GROW =
      """
      CREATE TABLE branch_%1$d AS
          SELECT member.id, member.n, ids.id[(member.n - 2) / 10 + 1] AS parent_id, peers.id[member.n %% %3$d + 1] AS peer_id
          FROM (SELECT '{%2$s}'::uuid[] AS id) AS ids CROSS JOIN (SELECT '{%4$s}'::uuid[] AS id) AS peers
          CROSS JOIN unnest(ids.id) WITH ORDINALITY AS member (id, n);
      UPDATE workspaces w SET parent_id = b.parent_id, delivery_mode = 'push', url = 'http://127.0.0.1:9/'
      FROM branch_%1$d b WHERE b.id = w.id AND b.n > 1;
      UPDATE workspace_heartbeats h SET status = 'offline' FROM branch_%1$d b WHERE b.id = h.workspace_id
      """;

  private static final String IS_REMOVED =
      """
      SELECT NOT EXISTS (SELECT FROM deliveries)
          AND NOT EXISTS (SELECT FROM delegations WHERE terminal_status IS NULL)
          AND NOT EXISTS (SELECT FROM workspaces w JOIN branch_%d b ON b.id = w.id WHERE w.removed_at IS NULL)
      """;

  private final DepthServer server;
  private final List<String[]> peers;

  RemovalDepth(DepthServer server) throws Exception {
    this.server = server;
    this.peers = server.seed(PEERS);
  }

  @Override
  public void measure(int size) throws Exception {
    List<String[]> branch = server.seed(BRANCH[size]);
    fill(size, branch);
    server.settle();
    String root = branch.getFirst()[0];
    server.measure(
        size,
        () -> {
          Load removal =
              ClosedLoop.run(
                  server.port(),
                  1,
                  1,
                  _ ->
                      ClosedLoop.delete(
                          "/workspaces/" + root + "?confirm=true", AdminClient.TOKEN));
          double rest =
              removal.refused() > 0
                  ? Double.NaN
                  : server.secondsUntil(IS_REMOVED.formatted(size), LIMIT);
          return new Outcome(
              Map.of(REQUEST, removal.median(), ALL, removal.median() / 1000 + rest),
              removal.refused());
        });
  }

  private void fill(int size, List<String[]> branch) throws SQLException {
    server.execute(GROW.formatted(size, ids(branch), PEERS, ids(peers)));
    String members = " FROM branch_" + size;
    BenchBacklog.queue(
        server, "SELECT id AS workspace_id, peer_id AS sender_id" + members, QUEUED_FOR_EACH);
    BenchBacklog.delegate(
        server,
        "to-" + size,
        "dispatched",
        "SELECT peer_id AS caller_id, id AS callee_id" + members,
        1);
    BenchBacklog.delegate(
        server,
        "from-" + size,
        "dispatched",
        "SELECT id AS caller_id, peer_id AS callee_id" + members,
        1);
  }

  private static String ids(List<String[]> workspaces) {
    return workspaces.stream().map(workspace -> workspace[0]).collect(Collectors.joining(","));
  }
}
