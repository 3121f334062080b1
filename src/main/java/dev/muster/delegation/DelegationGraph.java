package dev.muster.delegation;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Counts delegations by caller and callee. */
@Repository
class DelegationGraph {

  static final int MAX_EDGES = 500;

  /** The maximum number of rows of each group that a graph counts, newest first. */
  static final int MAX_COUNTED = 50_000;

  static final String EDGES =
      """
      SELECT caller_id, callee_id,
          count(*) FILTER (WHERE terminal_status IS NULL) AS in_flight,
          count(*) FILTER (WHERE status = 'stuck') AS stuck,
          count(*) FILTER (WHERE terminal_status = 'failed') AS failed,
          count(*) FILTER (WHERE terminal_status = 'completed') AS completed,
          extract(epoch FROM statement_timestamp() - min(created_at) FILTER (WHERE terminal_status IS NULL)) AS oldest_s
      FROM (
          (SELECT caller_id, callee_id, status, terminal_status, created_at FROM delegations
          WHERE terminal_status IS NULL ORDER BY deadline LIMIT :most)
          UNION ALL
          (SELECT caller_id, callee_id, status, terminal_status, created_at FROM delegations
          WHERE terminal_status = 'failed' AND created_at >= statement_timestamp() - make_interval(secs => :window_s)
          ORDER BY created_at DESC, id DESC LIMIT :most)
          UNION ALL
          (SELECT caller_id, callee_id, status, terminal_status, created_at FROM delegations
          WHERE terminal_status = 'completed' AND created_at >= statement_timestamp() - make_interval(secs => :window_s)
          ORDER BY created_at DESC, id DESC LIMIT :most)
          ) AS counted
      GROUP BY caller_id, callee_id
      """;

  private static final Comparator<Edge> WORST_FIRST =
      Comparator.comparingLong(Edge::stuck)
          .thenComparingLong(Edge::failed)
          .thenComparingLong(edge -> edge.inFlight() + edge.completed())
          .reversed();

  private final JdbcClient db;

  DelegationGraph(JdbcClient db) {
    this.db = db;
  }

  /**
   * The delegations from one workspace to another.
   *
   * @param inFlight those that have not ended, stuck ones included
   * @param oldestS the age of the oldest in flight in seconds; null when there is none
   */
  record Edge(
      UUID from,
      UUID to,
      long inFlight,
      long stuck,
      long failed,
      long completed,
      @Nullable Long oldestS) {}

  /**
   * A graph.
   *
   * @param leftOut the number of edges beyond {@code MAX_EDGES}
   * @param isWhole whether all delegations were counted
   */
  record Graph(List<Edge> edges, int leftOut, boolean isWhole) {}

  /**
   * Counts the delegations in flight, and the ended ones that were created within the window.
   *
   * @param under counts only delegations whose caller or callee is one of these; null for all
   */
  Graph of(Duration window, @Nullable Set<UUID> under) {
    List<Edge> all =
        db.sql(EDGES)
            .param("most", MAX_COUNTED)
            .param("window_s", (double) window.toSeconds())
            .query((row, n) ->
                new Edge(
                    row.getObject("caller_id", UUID.class),
                    row.getObject("callee_id", UUID.class),
                    row.getLong("in_flight"),
                    row.getLong("stuck"),
                    row.getLong("failed"),
                    row.getLong("completed"),
                    row.getObject("oldest_s") == null
                        ? null
                        : Math.max(0, (long) row.getDouble("oldest_s"))))
            .list();
    List<Edge> wanted =
        all.stream()
            .filter(
                edge -> under == null || under.contains(edge.from()) || under.contains(edge.to()))
            .sorted(WORST_FIRST)
            .toList();
    return new Graph(
        wanted.stream().limit(MAX_EDGES).toList(),
        Math.max(0, wanted.size() - MAX_EDGES),
        isWhole(all));
  }

  private static boolean isWhole(List<Edge> all) {
    return all.stream().mapToLong(Edge::inFlight).sum() < MAX_COUNTED
        && all.stream().mapToLong(Edge::failed).sum() < MAX_COUNTED
        && all.stream().mapToLong(Edge::completed).sum() < MAX_COUNTED;
  }
}
