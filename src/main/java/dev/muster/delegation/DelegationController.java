package dev.muster.delegation;

import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Lets agents delegate tasks and report on them (R8.2, R8.4, R8.5). */
@RestController
class DelegationController {

  private final Workspaces workspaces;
  private final DelegationCreation creation;
  private final DelegationReports reports;
  private final DelegationRetries retries;

  DelegationController(
      Workspaces workspaces,
      DelegationCreation creation,
      DelegationReports reports,
      DelegationRetries retries) {
    this.workspaces = workspaces;
    this.creation = creation;
    this.reports = reports;
    this.retries = retries;
  }

  @PostMapping("/workspaces/{id}/delegate")
  ResponseEntity<Map<String, Object>> delegate(
      Caller caller, @PathVariable UUID id, JsonBody body, HttpServletRequest http) {
    DelegateRequest request =
        DelegateRequest.read(body, Collections.list(http.getHeaders(DelegateRequest.KEY_HEADER)));
    UUID delegating = delegatingWorkspace(caller, id, request.targetId());
    workspaces.requireSpeakerFor(delegating, caller);
    DeliveryTarget callee = callee(delegating, request.targetId().orElse(id), caller);
    DelegationCreation.Accepted accepted = this.creation.delegate(delegating, callee, request);
    @Nullable Delegation known = accepted.known();
    if (known == null) {
      return ResponseEntity.accepted()
          .body(answer(accepted.delegationId(), "delegated", callee.id()));
    }
    Map<String, Object> answer =
        answer(known.delegationId(), known.status().wire(), known.calleeId());
    answer.put("idempotent_hit", true);
    return ResponseEntity.ok(answer);
  }

  /**
   * Returns the caller of the delegation. In the legacy form the path names the target, and the
   * token the caller.
   */
  private static UUID delegatingWorkspace(Caller caller, UUID id, Optional<UUID> targetId) {
    if (targetId.isPresent()) {
      return id;
    }
    if (caller instanceof Caller.Agent(UUID own) && !own.equals(id)) {
      return own;
    }
    throw ProblemException.validation(
        "target_id is missing or empty (expected: the UUID of the workspace that is to do the"
            + " task)");
  }

  private DeliveryTarget callee(UUID delegating, UUID target, Caller caller) {
    DeliveryTarget callee = workspaces.requireTarget(target, speaker(delegating, caller));
    if (target.equals(delegating)) {
      throw ProblemException.validation("self-delegation not permitted");
    }
    return callee;
  }

  /**
   * Returns the caller whose rights are checked. The admin may delegate for a workspace only what
   * that workspace may.
   */
  private static Caller speaker(UUID delegating, Caller caller) {
    return caller.isAdmin() ? new Caller.Agent(delegating) : caller;
  }

  private static Map<String, Object> answer(String delegationId, String status, UUID targetId) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("delegation_id", delegationId);
    answer.put("status", status);
    answer.put("target_id", targetId);
    return answer;
  }

  record Reported(String delegationId, String status) {}

  @PostMapping("/workspaces/{id}/delegations/record")
  @ResponseStatus(HttpStatus.ACCEPTED)
  Reported record(Caller caller, @PathVariable UUID id, JsonBody body) {
    UUID target = body.requiredId("target_id");
    PreviewedText task = DelegateRequest.task(body);
    String delegationId = DelegationIds.read(body);
    Optional<String> parent = DelegateRequest.parent(body);
    workspaces.requireSpeakerFor(id, caller);
    creation.record(id, callee(id, target, caller), delegationId, task, parent);
    return new Reported(delegationId, "recorded");
  }

  @PostMapping("/workspaces/{id}/delegations/{delegationId}/update")
  Reported update(
      Caller caller, @PathVariable UUID id, @PathVariable String delegationId, JsonBody body) {
    DelegationCommand change = DelegationCommand.reported(body);
    workspaces.requireSpeakerFor(id, caller);
    return report(new TransitionRequest(delegationId, Actor.participant(id), change));
  }

  @PostMapping("/workspaces/{id}/delegations/{delegationId}/heartbeat")
  Reported heartbeat(Caller caller, @PathVariable UUID id, @PathVariable String delegationId) {
    workspaces.requireTrustedSpeakerFor(id, caller);
    return report(
        new TransitionRequest(delegationId, Actor.callee(id), DelegationCommand.Step.HEARTBEAT));
  }

  @PostMapping("/admin/delegations/{delegationId}/retry")
  Reported retry(Caller caller, @PathVariable String delegationId) {
    AccessChecks.requireAdmin(caller);
    return report(delegationId, retries.retry(delegationId));
  }

  @PostMapping("/admin/delegations/{delegationId}/fail")
  Reported fail(Caller caller, @PathVariable String delegationId, JsonBody body) {
    AccessChecks.requireAdmin(caller);
    String reason = body.text("reason", Integer.MAX_VALUE).orElse("");
    return report(
        new TransitionRequest(
            delegationId,
            Actor.SYSTEM,
            new DelegationCommand.Fail(reason.isBlank() ? "failed by an operator" : reason)));
  }

  private Reported report(TransitionRequest command) {
    return report(command.delegationId(), reports.make(command));
  }

  private static Reported report(String delegationId, Ledger.Result result) {
    return switch (result) {
      case Ledger.Result.Applied(DelegationStatus status, boolean _) ->
          new Reported(delegationId, status.wire());
      case Ledger.Result.Invalid(DelegationStatus status) ->
          throw new ProblemException(
              ErrorCode.INVALID_TRANSITION,
              "the delegation is " + status.wire() + ", which does not allow this transition",
              Map.of("delegation_id", delegationId, "delegation_status", status.wire()));
      case Ledger.Result.NotFound() -> throw DelegationIds.unknown(delegationId);
    };
  }
}
