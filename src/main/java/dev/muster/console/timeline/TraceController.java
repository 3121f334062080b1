package dev.muster.console.timeline;

import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Serves a delegation with its causes and everything it caused, found by ids alone. */
@RestController
class TraceController {

  private static final int MAX_NODES = 1000;
  private static final int MAX_CAUSES = 100;

  private final TraceRepository repository;
  private final Workspaces workspaces;

  TraceController(TraceRepository repository, Workspaces workspaces) {
    this.repository = repository;
    this.workspaces = workspaces;
  }

  /**
   * A trace.
   *
   * @param nodes the delegations, oldest first, then their messages, then their runs
   * @param isWhole false when nodes were left out
   */
  record Trace(String delegationId, List<TraceNode> nodes, boolean isWhole) {}

  @GetMapping("/console/trace/{delegationId}")
  @RouteAccess(CallerKind.VIEWER)
  Trace read(Caller caller, @PathVariable String delegationId) {
    List<String> causes = repository.upwards(delegationId, MAX_CAUSES);
    if (causes.isEmpty()) {
      throw unknown(delegationId);
    }
    requireSide(caller, delegationId);
    Set<String> ids = new LinkedHashSet<>(causes);
    ids.addAll(repository.downwards(delegationId, MAX_NODES + 1));
    List<TraceNode> delegations = repository.delegations(ids.stream().limit(MAX_NODES).toList());
    List<TraceNode> nodes = new ArrayList<>(delegations);
    nodes.addAll(repository.messages(delegations, MAX_NODES + 1));
    nodes.addAll(repository.runs(delegations, MAX_NODES + 1));
    boolean isWhole = ids.size() <= MAX_NODES && nodes.size() <= MAX_NODES;
    return new Trace(
        delegationId,
        named(nodes.stream().limit(MAX_NODES).map(node -> asSeenBy(caller, node)).toList()),
        isWhole);
  }

  private void requireSide(Caller caller, String delegationId) {
    if (caller.readsAll()) {
      return;
    }
    boolean isSide =
        caller instanceof Caller.Agent(UUID own)
            && repository.delegations(List.of(delegationId)).stream()
                .anyMatch(node -> node.isOf(own));
    if (!isSide) {
      throw unknown(delegationId);
    }
  }

  /**
   * An agent reads the texts that it sent or received. Of all other nodes it reads only their
   * existence and their end.
   */
  private static TraceNode asSeenBy(Caller caller, TraceNode node) {
    boolean isOwn = !(caller instanceof Caller.Agent(UUID own)) || node.isOf(own);
    return isOwn ? node : node.withoutTexts();
  }

  private List<TraceNode> named(List<TraceNode> nodes) {
    Set<UUID> ids =
        nodes.stream()
            .flatMap(node -> Stream.concat(Stream.ofNullable(node.from()), Stream.of(node.to())))
            .collect(Collectors.toSet());
    Map<UUID, WorkspaceLabel> labels = workspaces.labelsOf(ids);
    return nodes.stream()
        .map(node -> node.named(name(labels, node.from()), name(labels, node.to())))
        .toList();
  }

  private static @Nullable String name(
      Map<UUID, WorkspaceLabel> labels, @Nullable UUID workspaceId) {
    @Nullable WorkspaceLabel label = workspaceId == null ? null : labels.get(workspaceId);
    return label == null ? null : label.name();
  }

  private static ProblemException unknown(String delegationId) {
    return new ProblemException(
        ErrorCode.NOT_FOUND, "no delegation " + delegationId + " is known here, or no longer");
  }
}
