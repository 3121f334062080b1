package dev.muster.activity;

import java.util.UUID;

/**
 * The index that a reading goes along, with one statement for each direction (R6.2). What the index
 * does not decide is looked at row by row, by the same conditions in all of them.
 *
 * <p>The conditions of partial indexes stand in their statements as they stand in the schema: by
 * that the planner knows them. What it must not do is to guess: should it take the rows that are
 * asked for to be few, it reads all there are and sorts them, and in a long feed they are many. So
 * the other conditions are in a CASE, whose selectivity it does not try to tell, and the limit in a
 * SELECT, which it takes for a tenth of the rows.
 */
enum FeedIndex {
  ALL(
      """
      SELECT seq, listed_bytes FROM activity_logs
      WHERE workspace_id = :workspace_id AND seq > :after AND seq <= :up_to
      """),
  OF_TYPE(
      """
      SELECT seq, listed_bytes FROM activity_logs
      WHERE workspace_id = :workspace_id AND activity_type = :type AND seq > :after AND seq <= :up_to
      """),
  INBOX(
      """
      SELECT seq, listed_bytes FROM activity_logs
      WHERE workspace_id = :workspace_id AND seq > :after AND seq <= :up_to
          AND activity_type = 'a2a_receive' AND source <> 'self'
      """),
  CHAT(
      """
      SELECT seq, listed_bytes FROM activity_logs
      WHERE workspace_id = :workspace_id AND seq > :after AND seq <= :up_to
          AND (source = 'canvas_user' OR (source = 'self' AND source_id IS NULL))
      """),
  WITH_PEER(
      """
      SELECT seq, listed_bytes FROM activity_logs
      WHERE workspace_id = :workspace_id AND peer_id = :peer AND seq > :after AND seq <= :up_to
      """);

  private static final String OTHER_CONDITIONS =
      """
          AND CASE WHEN (:type::text IS NULL OR activity_type = :type)
              AND (:peer::uuid IS NULL OR source_id = :peer OR target_id = :peer)
              AND (NOT :from_chat OR source = 'canvas_user' OR (source = 'self' AND source_id IS NULL))
              AND (NOT :from_agents OR source_id IS NOT NULL)
              AND (NOT :without_own OR source <> 'self' OR (:with_notifications AND source_id IS NULL))
              THEN true ELSE false END
      """;

  private final String oldestFirst;
  private final String newestFirst;

  FeedIndex(String range) {
    String conditions = range + OTHER_CONDITIONS;
    this.oldestFirst = conditions + "ORDER BY seq LIMIT (SELECT :limit)";
    this.newestFirst = conditions + "ORDER BY seq DESC LIMIT (SELECT :limit)";
  }

  /** The most selective one that the query allows. */
  static FeedIndex of(UUID workspaceId, FeedQuery query) {
    if (query.peerId().filter(peer -> !peer.equals(workspaceId)).isPresent()) {
      return WITH_PEER;
    }
    if (query.source().filter(FeedQuery.SourceFilter.CANVAS::equals).isPresent()) {
      return CHAT;
    }
    if (query.leavesOutOwn() && !query.bringsBackNotifications()) {
      return INBOX;
    }
    return query.type().isPresent() ? OF_TYPE : ALL;
  }

  String statement(boolean isOldestFirst) {
    return isOldestFirst ? oldestFirst : newestFirst;
  }
}
