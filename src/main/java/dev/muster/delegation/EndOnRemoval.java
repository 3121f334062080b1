package dev.muster.delegation;

import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.workspace.WorkspaceListener;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  private static final String OF_WORKSPACES =
      """
      SELECT delegation_id, callee_id FROM delegations
      WHERE (caller_id = ANY (:ids) OR callee_id = ANY (:ids)) AND terminal_status IS NULL
      """;

  private final JdbcClient db;
  private final Ledger ledger;

  EndOnRemoval(JdbcClient db, Ledger ledger) {
    this.db = db;
    this.ledger = ledger;
  }

  @Override
  public void removed(List<UUID> workspaceIds) {
    Set<UUID> gone = new HashSet<>(workspaceIds);
    List<TransitionRequest> commands =
        db.sql(OF_WORKSPACES)
            .param("ids", workspaceIds.toArray(UUID[]::new))
            .query((row, n) -> {
              boolean isCallee = gone.contains(row.getObject("callee_id", UUID.class));
              DelegationCommand command =
                  new DelegationCommand.Fail(isCallee ? "callee removed" : "caller removed");
              return new TransitionRequest(row.getString("delegation_id"), Actor.SYSTEM, command);
            })
            .list();
    if (!commands.isEmpty()) {
      List<Ledger.Result> _ = ledger.apply(commands);
    }
  }
}
