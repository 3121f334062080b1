package dev.muster.message.queue;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.message.flow.QueueCompletion;
import dev.muster.message.queue.QueueController.QueueView;
import dev.muster.message.queue.QueueListRepository.Filter;
import dev.muster.message.queue.QueueListRepository.Target;
import dev.muster.message.queue.QueueListRepository.Total;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueuedMessage;
import dev.muster.platform.http.EnumParameter;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Lists and changes the queues of all targets, for operators (R7.7). */
@RestController
class QueueAdminController {

  private static final int MAX_TARGETS = 50;

  private final QueueListRepository list;
  private final QueueCompletion completion;
  private final QueueRetry retries;
  private final ListResponses responses;
  private final WholeReads reads;
  private final CommitAwareTransactions transactions;

  QueueAdminController(
      QueueListRepository list,
      QueueCompletion completion,
      QueueRetry retries,
      ListResponses responses,
      WholeReads reads,
      CommitAwareTransactions transactions) {
    this.list = list;
    this.completion = completion;
    this.retries = retries;
    this.responses = responses;
    this.reads = reads;
    this.transactions = transactions;
  }

  /**
   * Without a state, lists the messages that have not ended. These come oldest first, ended ones
   * newest first.
   */
  @GetMapping("/admin/a2a-queue")
  @RouteAccess(CallerKind.VIEWER)
  void list(
      Caller caller,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(name = "target_id", defaultValue = "") String targetId,
      @RequestParam(name = "sender_id", defaultValue = "") String senderId,
      @RequestParam(defaultValue = "") String kind,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    AccessChecks.requireReader(caller);
    Filter filter =
        new Filter(
            EnumParameter.read("state", state, QueueState.values(), QueueState::wire).orElse(null),
            targetId.isEmpty() ? null : Ids.parse(targetId),
            senderId.isEmpty() ? null : Ids.parse(senderId),
            EnumParameter.read("kind", kind, Kind.values(), Kind::wire).orElse(null));
    responses.writePage(
        request,
        response,
        PageLimit.of(request).orElse(PageLimit.DEFAULT),
        (after, limit) -> reads.run(RequestOwner.of(request), () -> page(filter, after, limit)),
        row -> QueueView.of(row, null, null));
  }

  private Page<QueuedMessage> page(Filter filter, PageCursor after, int limit) {
    @Nullable QueueState state = filter.state();
    if (state == null || !state.isEnd()) {
      return Page.of(
          list.open(filter, after, limit + 1),
          limit,
          last -> new PageCursor(last.enqueuedAt(), last.targetId()));
    }
    return Page.of(
        list.ended(filter, after.equals(PageCursor.START) ? PageCursor.END : after, limit + 1),
        limit,
        last -> new PageCursor(Objects.requireNonNull(last.endedAt()), last.targetId()));
  }

  record Summary(long waiting, long delivering, @Nullable Long oldestS, List<Target> targets) {}

  @GetMapping("/admin/a2a-queue/summary")
  @RouteAccess(CallerKind.VIEWER)
  Summary summary(Caller caller, HttpServletRequest request) {
    AccessChecks.requireReader(caller);
    return reads.run(RequestOwner.of(request), this::summary);
  }

  private Summary summary() {
    Total total = list.total();
    return new Summary(
        total.waiting(), total.delivering(), total.oldestS(), list.mostWaiting(MAX_TARGETS));
  }

  /** Makes a waiting message due now, or queues a message again that ended undelivered. */
  @PostMapping("/admin/a2a-queue/{queueId}/retry")
  QueueView retry(Caller caller, @PathVariable UUID queueId) {
    AccessChecks.requireAdmin(caller);
    ActivityKey key = key(queueId);
    retries.retry(queueId, key);
    return view(queueId, key);
  }

  /** Ends a waiting message as expired, together with its delegation. */
  @PostMapping("/admin/a2a-queue/{queueId}/expire")
  QueueView expire(Caller caller, @PathVariable UUID queueId) {
    AccessChecks.requireAdmin(caller);
    return end(queueId, QueueState.EXPIRED, "expired by an operator");
  }

  /** Ends a waiting message as dropped, together with its delegation. */
  @PostMapping("/admin/a2a-queue/{queueId}/cancel")
  QueueView cancel(Caller caller, @PathVariable UUID queueId) {
    AccessChecks.requireAdmin(caller);
    return end(queueId, QueueState.DROPPED, "cancelled by an operator");
  }

  private QueueView end(UUID queueId, QueueState end, String why) {
    ActivityKey key = key(queueId);
    boolean ended = transactions.runRetryingDeadlocks(_ -> completion.endWaiting(key, end, why));
    if (!ended) {
      throw refusal(queueId, key);
    }
    return view(queueId, key);
  }

  private ActivityKey key(UUID queueId) {
    return list.keyOf(queueId).orElseThrow(() -> QueueRetry.unknown(queueId));
  }

  private QueueView view(UUID queueId, ActivityKey key) {
    return QueueView.of(list.find(key).orElseThrow(() -> QueueRetry.unknown(queueId)), null, null);
  }

  /** Builds the refusal for a message that does not wait. */
  private ProblemException refusal(UUID queueId, ActivityKey key) {
    QueuedMessage found = list.find(key).orElseThrow(() -> QueueRetry.unknown(queueId));
    return found.state().isEnd()
        ? new ProblemException(
            ErrorCode.WRONG_STATE,
            "the message is " + found.state().wire() + " (expected: one that waits)",
            Map.of("state", found.state().wire()))
        : QueueRetry.delivering();
  }
}
