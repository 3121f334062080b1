package dev.muster.delegation;

import dev.muster.delegation.DelegationQueries.Direction;
import dev.muster.delegation.DelegationView.DelegationEntry;
import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;
import dev.muster.identity.Credentials;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.AsyncResponses;
import dev.muster.platform.http.EnumParameter;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Serves delegations to their callers and callees (R8.6). */
@RestController
class DelegationReadController {

  private static final int MAX_LIMIT = 500;
  private static final int MAX_WAIT_S = 60;

  private final Workspaces workspaces;
  private final DelegationRepository repository;
  private final DelegationQueries queries;
  private final DelegationWaits waits;
  private final ListResponses responses;
  private final Credentials credentials;
  private final ResponseMemory memory;

  DelegationReadController(
      Workspaces workspaces,
      DelegationRepository repository,
      DelegationQueries queries,
      DelegationWaits waits,
      ListResponses responses,
      Credentials credentials,
      ResponseMemory memory) {
    this.workspaces = workspaces;
    this.repository = repository;
    this.queries = queries;
    this.waits = waits;
    this.responses = responses;
    this.credentials = credentials;
    this.memory = memory;
  }

  @GetMapping("/workspaces/{id}/delegations")
  @RouteAccess(CallerKind.VIEWER)
  void list(
      Caller caller,
      @PathVariable UUID id,
      @RequestParam(defaultValue = "") String status,
      @RequestParam(defaultValue = "") String direction,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    Optional<DelegationStatus> ofStatus =
        EnumParameter.read("status", status, DelegationStatus.values(), DelegationStatus::wire);
    Optional<Direction> ofDirection =
        EnumParameter.read("direction", direction, Direction.values(), Direction::wire);
    int limit = Math.min(PageLimit.of(request).orElse(PageLimit.DEFAULT), MAX_LIMIT);
    workspaces.requireReaderOf(id, caller);
    responses.writePage(
        request,
        response,
        limit,
        (after, most) -> queries.of(id, ofDirection, ofStatus, after, most),
        delegation -> DelegationEntry.of(delegation, id));
  }

  /** Returns a delegation at once, or after a long poll for its end. */
  @GetMapping("/workspaces/{id}/delegations/{delegationId}")
  @RouteAccess(CallerKind.VIEWER)
  @RateLimitGroup(RateLimitBucket.POLL)
  DeferredResult<DelegationView> show(
      Caller caller,
      @PathVariable UUID id,
      @PathVariable String delegationId,
      @RequestParam(defaultValue = "0") String wait,
      HttpServletRequest request) {
    Duration atMost = seconds(wait);
    @Nullable String authorization = credentials.presented(request);
    workspaces.requireReaderOf(id, caller);
    Delegation found = ofWorkspace(id, delegationId);
    LongConsumer ofAnswer = memory.of(request);
    Supplier<DelegationView> read =
        () -> {
          workspaces.requireTrustedReaderOf(id, credentials.callerOf(authorization));
          Delegation delegation = ofWorkspace(id, delegationId);
          if (!delegation.status().isInFlight()) {
            ofAnswer.accept(repository.textBytes(delegationId));
          }
          return DelegationView.of(delegation, repository.texts(delegationId));
        };
    return AsyncResponses.of(
        waits.await(
            RequestOwner.of(request),
            found.callerId(),
            atMost,
            new CredentialRecheck(credentials, authorization, caller),
            read));
  }

  private Delegation ofWorkspace(UUID id, String delegationId) {
    return repository
        .find(delegationId)
        .filter(delegation -> delegation.isOf(id))
        .orElseThrow(() -> DelegationIds.unknown(delegationId));
  }

  private static Duration seconds(String wait) {
    try {
      double seconds = wait.isEmpty() ? 0 : Double.parseDouble(wait);
      if (seconds >= 0 && seconds <= MAX_WAIT_S) {
        return Duration.ofNanos((long) (seconds * 1e9));
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the error message that both cases share
    }
    throw ProblemException.validation("wait: not usable (expected: seconds, 0..60)");
  }
}
