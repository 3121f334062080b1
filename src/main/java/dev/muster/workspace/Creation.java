package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.identity.Tokens;
import dev.muster.platform.json.JsonBody;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Creates workspaces, each with the first token of its agent. */
@Service
class Creation {

  static final int LONGEST_ROLE = 1000;
  static final int LONGEST_RUNTIME = 64;
  static final int HIGHEST_TIER = 100;
  static final int MOST_TASKS = 10_000;
  static final double FARTHEST = 1e9;

  /** What the creator needs to hand to the agent. */
  record Created(NewWorkspace workspace, String authToken) {}

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Hierarchy hierarchy;
  private final AgentUrls urls;
  private final Tokens tokens;
  private final Events events;
  private final TransactionTemplate transactions;

  Creation(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Hierarchy hierarchy,
      AgentUrls urls,
      Tokens tokens,
      Events events,
      TransactionTemplate transactions) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.hierarchy = hierarchy;
    this.urls = urls;
    this.tokens = tokens;
    this.events = events;
    this.transactions = transactions;
  }

  Created create(JsonBody body) {
    NewWorkspace workspace = read(body);
    if (workspace.deliveryMode() == DeliveryMode.PUSH && DeliveryMode.isUsable(workspace.url())) {
      urls.requireCallable("url", workspace.url());
    }
    workspace
        .agentCard()
        .ifPresent(card -> urls.requireCallableCard(workspace.deliveryMode(), card));
    String token = transactions.execute(status -> store(workspace));
    return new Created(workspace, token);
  }

  private static NewWorkspace read(JsonBody body) {
    String name = WorkspaceName.required(body);
    body.flag("external"); // accepted for compatibility: every workspace of Muster's is external
    Optional<JsonBody> canvas = body.object("canvas");
    String url = body.text("url", AgentUrls.LONGEST).orElse("");
    Optional<DeliveryMode> sent = DeliveryMode.sent(body);
    DeliveryMode mode = DeliveryMode.decide(sent, Optional.empty(), url);
    return new NewWorkspace(
        body.id("id").orElseGet(UUID::randomUUID),
        name,
        body.text("role", LONGEST_ROLE).filter(role -> !role.isEmpty()),
        body.integer("tier", 0, HIGHEST_TIER).orElse(NewWorkspace.DEFAULT_TIER),
        body.id("parent_id"),
        body.text("runtime", LONGEST_RUNTIME)
            .filter(r -> !r.isBlank())
            .orElse(NewWorkspace.DEFAULT_RUNTIME),
        mode == DeliveryMode.POLL ? "" : url,
        mode,
        body.integer("max_concurrent_tasks", 1, MOST_TASKS).orElse(1),
        body.rawObject("agent_card"),
        canvas.flatMap(c -> c.number("x", -FARTHEST, FARTHEST)).orElse(0.0),
        canvas.flatMap(c -> c.number("y", -FARTHEST, FARTHEST)).orElse(0.0));
  }

  private String store(NewWorkspace workspace) {
    workspace.parentId().ifPresent(this::requireParent);
    if (!workspaces.insert(workspace)) {
      throw new ProblemException(
          ErrorCode.ID_TAKEN,
          "the id " + workspace.id() + " is taken; leave it out to get a new one");
    }
    statuses.insert(workspace.id());
    events.record(
        LifecycleEvents.of(
            EventType.WORKSPACE_AWAITING_AGENT,
            workspace.id(),
            null,
            WorkspaceStatus.AWAITING_AGENT,
            Map.of("name", workspace.name())));
    return tokens.mint(workspace.id());
  }

  private void requireParent(UUID parentId) {
    hierarchy.lock();
    if (!hierarchy.exists(parentId)) {
      throw parentNotFound(parentId);
    }
  }

  static ProblemException parentNotFound(UUID parentId) {
    return new ProblemException(
        ErrorCode.PARENT_NOT_FOUND, "parent_id: " + parentId + " does not exist or was removed");
  }
}
