package dev.muster.delegation;

import java.util.Collection;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Parts what is started for a workspace from its removal: either the removal finds it, and ends it,
 * or it finds the workspace removed. Without this, what is committed while a removal looks for
 * delegations would wait for its deadline.
 *
 * <p>The locks are taken before those of delegations, and keep nobody else waiting.
 */
@Repository
class RemovalFence {

  private static final String BEFORE_REMOVALS =
      """
      SELECT pg_advisory_xact_lock_shared(hashtextextended(party::text, 8003))
      FROM delegations d CROSS JOIN LATERAL (VALUES (d.caller_id), (d.callee_id)) AS parties (party)
      WHERE d.delegation_id = :delegation_id
      """;

  private static final String BEHIND_OTHERS =
      """
      SELECT pg_advisory_xact_lock(hashtextextended(id::text, 8003))
      FROM (SELECT id FROM unnest(:ids::uuid[]) AS id ORDER BY id) AS removed
      """;

  private final JdbcClient db;

  RemovalFence(JdbcClient db) {
    this.db = db;
  }

  /** Who looks afterwards whether caller and callee are there may rely on it. */
  void enterBeforeRemovals(String delegationId) {
    db.sql(BEFORE_REMOVALS).param("delegation_id", delegationId).query((row, n) -> n).list();
  }

  /** Who looks afterwards for delegations of these sees all that was started for them. */
  void closeFor(Collection<UUID> workspaceIds) {
    db.sql(BEHIND_OTHERS)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .query((row, n) -> n)
        .list();
  }
}
