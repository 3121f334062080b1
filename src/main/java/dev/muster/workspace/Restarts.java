package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Asks an agent to restart. The responses to its heartbeats contain the request until the agent
 * registers again, its uptime starts over, or the request is withdrawn.
 */
@Service
class Restarts {

  private static final String REQUESTED_AT = "restart_requested_at";

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Events events;
  private final TransactionTemplate transactions;

  Restarts(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Events events,
      TransactionTemplate transactions) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.events = events;
    this.transactions = transactions;
  }

  /** Stores the request; a second one replaces the first. */
  void request(UUID id, Optional<String> reason) {
    transactions.executeWithoutResult(status -> {
      Instant at = statuses.requestRestart(id).orElseThrow(() -> absent(id));
      events.record(requested(id, at, reason));
    });
  }

  static NewEvent requested(UUID id, Instant at, Optional<String> reason) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put(REQUESTED_AT, at);
    reason.ifPresent(text -> payload.put("reason", text));
    return new NewEvent(EventType.WORKSPACE_RESTART_REQUESTED, id, payload);
  }

  /**
   * Withdraws the request; refuses when there is none, for example because the agent has restarted.
   */
  void withdraw(UUID id) {
    transactions.executeWithoutResult(status -> {
      if (!statuses.withdrawRestart(id)) {
        throw new ProblemException(
            ErrorCode.WRONG_STATE,
            "no restart is requested: the agent has restarted, or none was requested");
      }
      Map<String, @Nullable Object> changed = new HashMap<>();
      changed.put(REQUESTED_AT, null);
      events.record(new NewEvent(EventType.WORKSPACE_UPDATED, id, changed));
    });
  }

  private ProblemException absent(UUID id) {
    return workspaces
        .find(id)
        .map(Workspaces::removed)
        .orElseGet(() -> Workspaces.absent(id, workspaces));
  }
}
