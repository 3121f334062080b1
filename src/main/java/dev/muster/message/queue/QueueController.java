package dev.muster.message.queue;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.message.RowId;
import dev.muster.message.flow.DeliverySweep;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueuedMessage;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.platform.text.RawJson;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows one queued message, and drops old ones (R7.7). */
@RestController
class QueueController {

  private static final int MAX_NUMBER_LENGTH = 40;

  /** 10 years: longer than any message may wait. */
  private static final BigInteger MAX_MINUTES = BigInteger.valueOf(5_256_000);

  /**
   * A queued message as its sender reads it.
   *
   * @param queueDepth its position in the queue, from 1; null unless it waits, and in the admin API
   * @param answer the response of the agent; null before the end, and in the admin API
   */
  record QueueView(
      UUID queueId,
      UUID workspaceId,
      @Nullable UUID sourceId,
      Kind kind,
      QueueState state,
      int priority,
      int attempts,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer queueDepth,
      Instant enqueuedAt,
      @Nullable Instant nextAttemptAt,
      Instant expiresAt,
      @Nullable Instant endedAt,
      @Nullable String error,
      UUID activityId,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable RawJson answer) {

    static QueueView of(QueuedMessage message, @Nullable Integer place, @Nullable RawJson answer) {
      return new QueueView(
          message.id(),
          message.targetId(),
          message.senderId(),
          message.kind(),
          message.state(),
          message.priority(),
          message.attempts(),
          place,
          message.enqueuedAt(),
          message.state().isEnd() ? null : message.nextAttemptAt(),
          message.expiresAt(),
          message.endedAt(),
          message.error(),
          message.id(),
          answer);
    }
  }

  private final QueueListRepository queue;
  private final OutcomeRepository outcomes;
  private final DeliverySweep sweep;
  private final Workspaces workspaces;
  private final ResponseMemory memory;

  QueueController(
      QueueListRepository queue,
      OutcomeRepository outcomes,
      DeliverySweep sweep,
      Workspaces workspaces,
      ResponseMemory memory) {
    this.queue = queue;
    this.outcomes = outcomes;
    this.sweep = sweep;
    this.workspaces = workspaces;
    this.memory = memory;
  }

  /** Shows a message to its sender, the admin, operators and viewers. */
  @GetMapping("/workspaces/{id}/a2a/queue/{queueId}")
  @RouteAccess(CallerKind.VIEWER)
  QueueView show(
      Caller caller,
      @PathVariable UUID id,
      @PathVariable UUID queueId,
      HttpServletRequest request) {
    workspaces.requirePresent(id);
    QueuedMessage message =
        queue
            .find(new ActivityKey(id, RowId.seqOf(queueId)))
            .filter(found -> found.id().equals(queueId))
            .orElseThrow(() ->
                new ProblemException(
                    ErrorCode.NOT_FOUND,
                    "no message " + queueId + " is queued for this workspace, or no longer"));
    requireSender(message, caller);
    @Nullable Integer place =
        message.state() == QueueState.WAITING ? queue.place(message.key()) : null;
    return QueueView.of(
        message, place, message.state().isEnd() ? answerTo(message, request) : null);
  }

  private static void requireSender(QueuedMessage message, Caller caller) {
    boolean isSender = caller instanceof Caller.Agent(UUID own) && own.equals(message.senderId());
    if (!isSender && !caller.readsAll()) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "only its sender, the admin, operators and viewers may see a queued message");
    }
  }

  private @Nullable RawJson answerTo(QueuedMessage message, HttpServletRequest request) {
    memory.of(request).accept(outcomes.responseBytes(message.key()));
    return outcomes.response(message.key()).orElse(null);
  }

  record Dropped(int dropped) {}

  @PostMapping("/admin/a2a-queue/drop-stale")
  Dropped dropStale(
      Caller caller,
      @RequestParam(name = "max_age_minutes", defaultValue = "60") String maxAgeMinutes,
      @RequestParam(name = "workspace_id", defaultValue = "") String workspaceId) {
    AccessChecks.requireAdmin(caller);
    int minutes = minutes(maxAgeMinutes);
    @Nullable UUID target = workspaceId.isEmpty() ? null : Ids.parse(workspaceId);
    if (target != null) {
      AuditTrail.addTarget(target);
    }
    return new Dropped(
        target == null ? sweep.dropStale(minutes) : sweep.dropStale(List.of(target), minutes));
  }

  private static int minutes(String text) {
    try {
      if (text.length() <= MAX_NUMBER_LENGTH) {
        return new BigInteger(text).max(BigInteger.ONE).min(MAX_MINUTES).intValue();
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the shared error below
    }
    throw ProblemException.validation(
        "max_age_minutes: not a whole number (expected: minutes, 1 or more)");
  }
}
