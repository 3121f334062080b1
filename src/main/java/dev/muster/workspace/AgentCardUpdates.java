package dev.muster.workspace;

import dev.muster.identity.AuditTrail;
import dev.muster.platform.json.RawJson;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Replaces agent cards outside of registrations and heartbeats. */
@Service
class AgentCardUpdates {

  private final Workspaces workspaces;
  private final StatusRepository statuses;
  private final TransactionTemplate transactions;

  AgentCardUpdates(
      Workspaces workspaces, StatusRepository statuses, TransactionTemplate transactions) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.transactions = transactions;
  }

  void update(UUID id, RawJson card) {
    workspaces.requireUsableCard(id, card);
    AuditTrail.addTarget(id);
    transactions.executeWithoutResult(status -> {
      statuses.lock(id);
      workspaces.existing(id);
      workspaces.storeCard(id, card);
    });
  }
}
