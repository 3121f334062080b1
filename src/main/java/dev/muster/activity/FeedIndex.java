package dev.muster.activity;

import java.util.List;
import java.util.UUID;

/**
 * The index that a reading goes along, with one statement for each direction (R6.2). What the index
 * does not decide is looked at row by row, by the same conditions in all of them.
 *
 * <p>What the planner must not do is to guess: should it take the rows that are asked for to be
 * few, it reads all there are and sorts them, and in a long feed they are many. So the other
 * conditions are in a CASE, whose selectivity it does not try to tell, and the limit in a SELECT,
 * which it takes for a tenth of the rows. And outcomes are values of subqueries: an EXISTS would
 * let it put all of them into a hash table first. Of what is open, which is little, it may: most
 * agents that poll have none.
 */
enum FeedIndex {
  ALL(
      """
      SELECT l.seq, l.listed_bytes FROM activity_logs l
      WHERE l.workspace_id = :workspace_id AND l.seq > :after AND l.seq <= :up_to
      %s
      """),
  /** The range is read for each of the letters {@code :classes}. */
  BY_CLASS(
      """
      SELECT found.seq, found.listed_bytes FROM unnest(:classes::text[]) AS c (letter) CROSS JOIN LATERAL (
          SELECT l.seq, l.listed_bytes FROM activity_logs l
          WHERE l.workspace_id = :workspace_id AND l.class = c.letter::"char" AND l.seq > :after AND l.seq <= :up_to
          %s) AS found
      """),
  WITH_PEER(
      """
      SELECT l.seq, l.listed_bytes FROM activity_logs l
      WHERE l.workspace_id = :workspace_id AND l.peer_id = :peer AND l.seq > :after AND l.seq <= :up_to
      %s
      """);

  private static final String OTHER_CONDITIONS =
      """
          AND CASE WHEN (:type::text IS NULL OR l.activity_type = :type)
              AND (:peer::uuid IS NULL OR l.source_id = :peer OR l.target_id = :peer)
              AND (NOT :from_chat OR l.source = 'canvas_user' OR (l.source = 'self' AND l.source_id IS NULL))
              AND (NOT :from_agents OR l.source_id IS NOT NULL)
              AND (NOT :without_own OR l.source <> 'self' OR (:with_notifications AND l.source_id IS NULL))
              AND (NOT :without_delivered OR (
                      SELECT o.owner IS NOT NULL AND o.state = 'answered' FROM delivery_outcomes o
                      WHERE o.workspace_id = :workspace_id AND o.seq = l.seq) IS NOT TRUE
                  AND l.seq NOT IN (
                      SELECT d.seq FROM deliveries d
                      WHERE d.workspace_id = :workspace_id AND d.seq > :after AND d.seq <= :up_to))
              THEN true ELSE false END
      """;

  private final String oldestFirst;
  private final String newestFirst;

  FeedIndex(String range) {
    this.oldestFirst = statement(range, "");
    this.newestFirst = statement(range, "DESC");
  }

  /** With what the outcomes of their deliveries add to the bytes of the rows. */
  private static String statement(String range, String direction) {
    String rest = OTHER_CONDITIONS + "ORDER BY l.seq " + direction + " LIMIT (SELECT :limit)";
    return """
    SELECT page.seq, page.listed_bytes + coalesce((
        SELECT o.listed_bytes FROM delivery_outcomes o
        WHERE o.workspace_id = :workspace_id AND o.seq = page.seq), 0) AS listed_bytes
    FROM (%s) AS page ORDER BY page.seq %s LIMIT (SELECT :limit)
    """
        .formatted(range.formatted(rest), direction);
  }

  /** The most selective one that the query allows. */
  static FeedIndex of(UUID workspaceId, FeedQuery query) {
    if (query.peerId().filter(peer -> !peer.equals(workspaceId)).isPresent()) {
      return WITH_PEER;
    }
    return classesOf(query).isEmpty() ? ALL : BY_CLASS;
  }

  /**
   * Whether the query asks for a row, by the conditions of the statements but for where it begins
   * and ends; a query that goes on from a cursor.
   */
  static boolean matches(FeedQuery query, StoredActivity row) {
    List<String> classes = classesOf(query);
    boolean isOwn = row.source() == ActivitySource.SELF;
    return (classes.isEmpty()
            || classes.contains(RowClass.of(row.activityType(), row.source(), row.sourceId())))
        && query.type().filter(type -> !type.equals(row.activityType())).isEmpty()
        && query.peerId().filter(peer -> !isWith(peer, row)).isEmpty()
        && switch (query.source().orElse(null)) {
          case null -> true;
          case CANVAS ->
              row.source() == ActivitySource.CANVAS_USER || (isOwn && row.sourceId() == null);
          case AGENT -> row.sourceId() != null;
        }
        && !(query.leavesOutOwn()
            && isOwn
            && !(query.bringsBackNotifications() && row.sourceId() == null));
  }

  private static boolean isWith(UUID peer, StoredActivity row) {
    return peer.equals(row.workspaceId())
        ? peer.equals(row.sourceId()) || peer.equals(row.targetId())
        : peer.equals(row.peerId());
  }

  /** The letters of the rows that the query asks for; none for all of them. */
  static List<String> classesOf(FeedQuery query) {
    if (query.source().filter(FeedQuery.SourceFilter.CANVAS::equals).isPresent()) {
      return RowClass.CHAT;
    }
    if (query.leavesOutOwn()) {
      return query.bringsBackNotifications() ? RowClass.INBOX_AND_NOTIFICATIONS : RowClass.INBOX;
    }
    return query.type().map(RowClass::ofType).orElse(List.of());
  }

  String statement(boolean isOldestFirst) {
    return isOldestFirst ? oldestFirst : newestFirst;
  }
}
