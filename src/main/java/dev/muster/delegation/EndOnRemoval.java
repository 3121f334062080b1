package dev.muster.delegation;

import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.workspace.WorkspaceListener;
import java.util.List;
import java.util.UUID;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Ends the delegations from and to removed workspaces (docs/api.md, section 2). The remaining
 * callers receive the end. It runs before the removal of queued messages, which locks feeds:
 * delegations are locked before feeds.
 */
@Repository
@Order(0)
class EndOnRemoval implements WorkspaceListener {

  /**
   * Goes from workspace to workspace: rows that have ended are not read, however many they are. A
   * delegation between two removed workspaces is found as one of its callee only.
   */
  private static final String OF_WORKSPACES =
      """
      SELECT o.delegation_id, w.removed_at IS NOT NULL AS callee_is_removed
      FROM (
          SELECT open.delegation_id, open.callee_id
          FROM unnest(:ids::uuid[]) AS removed (id)
          CROSS JOIN LATERAL (
              (SELECT delegation_id, callee_id FROM delegations
              WHERE callee_id = removed.id AND coalesce(terminal_status, 'in_flight') = 'in_flight' LIMIT :most)
              UNION ALL
              (SELECT delegation_id, callee_id FROM delegations
              WHERE caller_id = removed.id AND coalesce(terminal_status, 'in_flight') = 'in_flight'
                  AND (callee_id = ANY (:ids)) IS NOT TRUE LIMIT :most)) AS open
          LIMIT :most) o
      LEFT JOIN api_workspace_delivery w ON w.id = o.callee_id
      """;

  private final JdbcClient db;
  private final Ledger ledger;

  EndOnRemoval(JdbcClient db, Ledger ledger) {
    this.db = db;
    this.ledger = ledger;
  }

  @Override
  public boolean removed(List<UUID> workspaceIds, int most) {
    List<TransitionRequest> commands = open(workspaceIds, most);
    if (!commands.isEmpty()) {
      List<Ledger.Result> _ = ledger.apply(commands);
    }
    return commands.size() < most;
  }

  private List<TransitionRequest> open(List<UUID> workspaceIds, int most) {
    return db.sql(OF_WORKSPACES)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .param("most", most)
        .query((row, n) -> {
          DelegationCommand command =
              new DelegationCommand.Fail(
                  row.getBoolean("callee_is_removed") ? "callee removed" : "caller removed");
          return new TransitionRequest(row.getString("delegation_id"), Actor.SYSTEM, command);
        })
        .list();
  }
}
