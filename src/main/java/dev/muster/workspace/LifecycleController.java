package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.workspace.Lifecycle.Removal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Serves the state, pause, resume, restart and removal of a workspace (docs/api.md, section 2). */
@RestController
class LifecycleController {

  private static final int MAX_REASON_LENGTH = 500;

  private final Workspaces workspaces;
  private final WorkspaceRepository repository;
  private final Lifecycle lifecycle;
  private final Restarts restarts;

  LifecycleController(
      Workspaces workspaces,
      WorkspaceRepository repository,
      Lifecycle lifecycle,
      Restarts restarts) {
    this.workspaces = workspaces;
    this.repository = repository;
    this.lifecycle = lifecycle;
    this.restarts = restarts;
  }

  record State(
      UUID workspaceId,
      WorkspaceStatus status,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean paused,
      boolean deleted) {}

  /**
   * Returns the state by which an agent decides whether to continue. A removed or unknown workspace
   * yields a 404 with the state (R1.5), not a problem detail.
   */
  @GetMapping("/workspaces/{id}/state")
  @RouteAccess({CallerKind.REMOVED_AGENT, CallerKind.VIEWER})
  @RateLimitGroup(RateLimitBucket.POLL)
  ResponseEntity<State> state(Caller caller, @PathVariable UUID id) {
    Workspaces.requireOwnIdOfFormer(id, caller);
    Optional<Workspace> found = repository.find(id).filter(workspace -> !workspace.isRemoved());
    if (found.isEmpty()) {
      return ResponseEntity.status(HttpStatus.NOT_FOUND)
          .body(new State(id, WorkspaceStatus.REMOVED, null, true));
    }
    AccessChecks.requireReaderOf(id, caller);
    WorkspaceStatus status = found.get().status();
    return ResponseEntity.ok(new State(id, status, status == WorkspaceStatus.PAUSED, false));
  }

  record Paused(WorkspaceStatus status, int pausedCount) {}

  @PostMapping("/workspaces/{id}/pause")
  Paused pause(
      Caller caller, @PathVariable UUID id, @RequestParam(defaultValue = "false") boolean cascade) {
    workspaces.requireSpeakerFor(id, caller);
    return new Paused(WorkspaceStatus.PAUSED, lifecycle.pause(id, cascade));
  }

  record Resumed(WorkspaceStatus status, int resumedCount) {}

  @PostMapping("/workspaces/{id}/resume")
  Resumed resume(
      Caller caller, @PathVariable UUID id, @RequestParam(defaultValue = "false") boolean cascade) {
    workspaces.requireSpeakerFor(id, caller);
    return new Resumed(WorkspaceStatus.AWAITING_AGENT, lifecycle.resume(id, cascade));
  }

  /** Requests a restart of the agent; the body may be missing. */
  @PostMapping("/workspaces/{id}/restart")
  @ResponseStatus(HttpStatus.ACCEPTED)
  Map<String, String> requestRestart(
      Caller caller, @PathVariable UUID id, @Nullable JsonBody body) {
    Optional<String> reason =
        Optional.ofNullable(body)
            .flatMap(json -> json.text("reason", MAX_REASON_LENGTH))
            .filter(text -> !text.isBlank());
    workspaces.requireSpeakerFor(id, caller);
    restarts.request(id, reason);
    return Map.of("status", "requested");
  }

  @DeleteMapping("/workspaces/{id}/restart")
  Map<String, String> withdrawRestart(Caller caller, @PathVariable UUID id) {
    workspaces.requireSpeakerFor(id, caller);
    restarts.withdraw(id);
    return Map.of("status", "withdrawn");
  }

  /**
   * A removal.
   *
   * @param bulkId the run that ends the delegations and messages; missing if they have ended
   */
  record Removed(
      WorkspaceStatus status,
      int cascadeDeleted,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable UUID bulkId) {}

  @DeleteMapping("/workspaces/{id}")
  ResponseEntity<Removed> remove(
      Caller caller,
      @PathVariable UUID id,
      @RequestParam(defaultValue = "false") boolean confirm,
      @RequestHeader(name = "X-Confirm-Name", required = false) @Nullable String confirmName) {
    Workspace workspace = workspaces.existing(id);
    AccessChecks.requireAdmin(caller);
    if (confirmName != null && !names(confirmName, workspace)) {
      throw new ProblemException(
          ErrorCode.CONFIRMATION_MISMATCH,
          "X-Confirm-Name is not the name of the workspace; nothing was removed");
    }
    Removal removal = lifecycle.remove(id, confirm, caller);
    return ResponseEntity.status(removal.rest().isPresent() ? HttpStatus.ACCEPTED : HttpStatus.OK)
        .body(
            new Removed(
                WorkspaceStatus.REMOVED, removal.descendants(), removal.rest().orElse(null)));
  }

  /**
   * Whether the header is the workspace's name. Header values are decoded as Latin-1, but clients
   * write names in UTF-8.
   */
  private static boolean names(String header, Workspace workspace) {
    String asUtf8 =
        new String(header.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    return header.equals(workspace.name()) || asUtf8.equals(workspace.name());
  }
}
