package dev.muster.message.feed;

import dev.muster.message.store.ActivitySource;
import dev.muster.message.store.RowClass;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Selects the index of a feed read, with one statement per direction (R6.2). All statements check
 * the same further conditions row by row.
 *
 * <p>The planner must not estimate how many rows match. If it expected few, it would read and sort
 * the whole feed, which may be long. So the other conditions are in a CASE, whose selectivity it
 * does not estimate. The limit is in a SELECT, for which it assumes a tenth of the rows. Outcomes
 * are values of subqueries, since the planner would hash all of them for an EXISTS. It may hash the
 * open deliveries: there are few, and most polling agents have none.
 *
 * <p>The planner must not take the primary key for a class or a peer either. Where nearly all rows
 * have one class, it would expect the same of every class, and would search the whole feed for a
 * class without rows. So the range and the order name the columns of the index to take.
 */
enum FeedIndex {
  ALL(
      """
      SELECT l.seq, l.listed_bytes FROM activity_logs l
      WHERE l.workspace_id = :workspace_id AND l.seq > :after AND l.seq <= :up_to
      %s
      """),
  /**
   * Reads the range once for each letter of {@code :classes}. Messages begin behind those that are
   * known to be delivered.
   */
  BY_CLASS(
      """
      SELECT found.seq, found.listed_bytes FROM unnest(:classes::text[]) AS c (letter) CROSS JOIN LATERAL (
          SELECT l.seq, l.listed_bytes FROM activity_logs l
          WHERE l.workspace_id = :workspace_id
              AND (l.class, l.seq)
                  > (c.letter::"char", CASE WHEN c.letter IN ('n', 'o') THEN :after ELSE :after_delivered END)
              AND (l.class, l.seq) <= (c.letter::"char", :up_to)
          %s) AS found
      """,
      "l.class"),
  WITH_PEER(
      """
      SELECT l.seq, l.listed_bytes FROM activity_logs l
      WHERE l.workspace_id = :workspace_id AND l.peer_id IS NOT NULL
          AND (l.peer_id, l.seq) > (:peer, :after) AND (l.peer_id, l.seq) <= (:peer, :up_to)
      %s
      """,
      "l.peer_id");

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

  /** The statements for the row where a long read ends. */
  private final String endOfOldest;

  private final String endOfNewest;

  FeedIndex(String range) {
    this(range, "l.seq", "l.seq DESC");
  }

  FeedIndex(String range, String column) {
    this(range, column + ", l.seq", column + " DESC, l.seq DESC");
  }

  FeedIndex(String range, String oldestFirst, String newestFirst) {
    this.oldestFirst = page(range, oldestFirst);
    this.newestFirst = page(range, newestFirst);
    this.endOfOldest = end(range, oldestFirst);
    this.endOfNewest = end(range, newestFirst);
  }

  /** Builds a statement whose {@code listed_bytes} include the row's delivery outcome. */
  private static String page(String range, String order) {
    String rest = OTHER_CONDITIONS + "ORDER BY " + order + " LIMIT (SELECT :limit)";
    return """
    SELECT page.seq, page.listed_bytes + coalesce((
        SELECT o.listed_bytes FROM delivery_outcomes o
        WHERE o.workspace_id = :workspace_id AND o.seq = page.seq), 0) AS listed_bytes
    FROM (%s) AS page ORDER BY page.seq %s LIMIT (SELECT :limit)
    """
        .formatted(range.formatted(rest), order.endsWith("DESC") ? "DESC" : "");
  }

  /**
   * Builds the statement that finds the row at which {@code :examined} rows were examined, in any
   * of the ranges. There is none in a shorter range.
   */
  private static String end(String range, String order) {
    return """
    SELECT l.workspace_id, l.seq, l.created_at FROM activity_logs l
    WHERE l.workspace_id = :workspace_id AND l.seq = (
        SELECT ends.seq FROM (%s) AS ends ORDER BY ends.seq %s LIMIT 1)
    """
        .formatted(
            range.formatted("ORDER BY " + order + " OFFSET (SELECT :examined) LIMIT 1"),
            order.endsWith("DESC") ? "DESC" : "");
  }

  /** Returns the most selective index that the query allows. */
  static FeedIndex of(UUID workspaceId, FeedQuery query) {
    if (query.peerId().filter(peer -> !peer.equals(workspaceId)).isPresent()) {
      return WITH_PEER;
    }
    return classesOf(query).isEmpty() ? ALL : BY_CLASS;
  }

  /**
   * Tells whether rows of the index may fail the query's other conditions, so that a read may
   * examine many before it finds one.
   */
  boolean passesRowsBy(FeedQuery query) {
    long conditions =
        Stream.of(query.type(), query.peerId(), query.source()).filter(Optional::isPresent).count();
    return query.startsAfterAcked()
        || conditions > (this == ALL ? 0 : 1)
        || query.type().filter(type -> !RowClass.hasOwnLetter(type)).isPresent();
  }

  /**
   * Tells whether a row meets the query's conditions, except the range. The conditions are those of
   * the statements; the query must read on from a cursor.
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

  /** Returns the class letters that the query asks for; empty for all. */
  static List<String> classesOf(FeedQuery query) {
    if (query.source().filter(FeedQuery.SourceFilter.CANVAS::equals).isPresent()) {
      return RowClass.CHAT;
    }
    if (query.leavesOutOwn()) {
      return query.bringsBackNotifications() ? RowClass.INBOX_AND_NOTIFICATIONS : RowClass.INBOX;
    }
    return query.type().map(RowClass::ofType).orElse(List.of());
  }

  String page(boolean isOldestFirst) {
    return isOldestFirst ? oldestFirst : newestFirst;
  }

  String end(boolean isOldestFirst) {
    return isOldestFirst ? endOfOldest : endOfNewest;
  }
}
