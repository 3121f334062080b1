package dev.muster.a2a.queue;

import dev.muster.a2a.queue.QueueListRepository.Filter;
import dev.muster.a2a.queue.QueueListRepository.Total;
import dev.muster.a2a.queue.QueueListRepository.Waiting;
import dev.muster.identity.Access;
import dev.muster.identity.Admits;
import dev.muster.identity.Admits.Who;
import dev.muster.identity.Caller;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.jobs.DeliveryJobs;
import dev.muster.platform.json.Ids;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Room;
import dev.muster.workspace.Rooms;
import dev.muster.workspace.WorkspaceStatus;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The queue of all targets, for operators (R7.7). */
@RestController
class QueueAdminController {

  private static final int MOST_TARGETS = 50;

  /** After every row there can be. */
  private static final PageCursor LATEST =
      new PageCursor(Instant.parse("9999-12-31T00:00:00Z"), new UUID(-1, -1));

  private final QueueListRepository list;
  private final MessageQueue queue;
  private final TargetDeliveries deliveries;
  private final DeliveryJobs jobs;
  private final Rooms rooms;
  private final ListResponses responses;
  private final TransactionTemplate transactions;

  QueueAdminController(
      QueueListRepository list,
      MessageQueue queue,
      TargetDeliveries deliveries,
      DeliveryJobs jobs,
      Rooms rooms,
      ListResponses responses,
      TransactionTemplate transactions) {
    this.list = list;
    this.queue = queue;
    this.deliveries = deliveries;
    this.jobs = jobs;
    this.rooms = rooms;
    this.responses = responses;
    this.transactions = transactions;
  }

  /** Without a state those that have not ended, the oldest first; ended ones last first. */
  @GetMapping("/admin/a2a-queue")
  @Admits(Who.VIEWER)
  void list(
      Caller caller,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(name = "target_id", defaultValue = "") String targetId,
      @RequestParam(name = "sender_id", defaultValue = "") String senderId,
      @RequestParam(defaultValue = "") String kind,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    Access.requireReader(caller);
    Filter filter =
        new Filter(
            word("state", state, QueueState.values(), QueueState::wire),
            targetId.isEmpty() ? null : Ids.parse(targetId),
            senderId.isEmpty() ? null : Ids.parse(senderId),
            word("kind", kind, QueueKind.values(), QueueKind::wire));
    responses.writePage(
        request,
        response,
        PageLimit.of(request).orElse(PageLimit.DEFAULT),
        (after, limit) -> page(filter, after, limit),
        row -> QueueView.of(row, null, null));
  }

  private static <E> @Nullable E word(
      String name, String word, E[] values, Function<E, String> wire) {
    return word.isEmpty()
        ? null
        : Arrays.stream(values)
            .filter(value -> wire.apply(value).equals(word))
            .findFirst()
            .orElseThrow(() ->
                ProblemException.validation(
                    name
                        + " must be one of: "
                        + Arrays.stream(values).map(wire).collect(Collectors.joining(", "))));
  }

  private Page<QueuedMessage> page(Filter filter, PageCursor after, int limit) {
    @Nullable QueueState state = filter.state();
    if (state == null || !state.isEnd()) {
      return Page.of(
          list.open(filter, after, limit + 1),
          limit,
          last -> new PageCursor(last.enqueuedAt(), last.queueId()));
    }
    return Page.of(
        list.ended(filter, after.equals(PageCursor.START) ? LATEST : after, limit + 1),
        limit,
        last -> new PageCursor(Objects.requireNonNull(last.endedAt()), last.queueId()));
  }

  record Target(UUID id, long waiting, long oldestS, WorkspaceStatus status) {}

  record Summary(long waiting, long delivering, @Nullable Long oldestS, List<Target> targets) {}

  @GetMapping("/admin/a2a-queue/summary")
  @Admits(Who.VIEWER)
  Summary summary(Caller caller) {
    Access.requireReader(caller);
    Total total = list.total();
    List<Waiting> most = list.mostWaiting(MOST_TARGETS);
    Map<UUID, Room> found = rooms.of(most.stream().map(Waiting::targetId).toList());
    return new Summary(
        total.waiting(),
        total.delivering(),
        total.oldestS(),
        most.stream()
            .map(one ->
                new Target(
                    one.targetId(),
                    one.waiting(),
                    one.oldestS(),
                    status(found.get(one.targetId()))))
            .toList());
  }

  private static WorkspaceStatus status(@Nullable Room room) {
    return room == null ? WorkspaceStatus.REMOVED : room.status();
  }

  /** Tries a message that waits now, if its target can take it: else when that is heard of. */
  @PostMapping("/admin/a2a-queue/{queueId}/retry")
  QueueView retry(Caller caller, @PathVariable UUID queueId) {
    Access.requireAdmin(caller);
    UUID target =
        transactions.execute(status -> {
          UUID of = list.makeDue(queueId).orElseThrow(() -> refusal(queueId));
          jobs.schedule(TargetDeliveries.JOB, of.toString());
          return of;
        });
    deliveries.lookAgain(target);
    return view(queueId);
  }

  /** Ends a message that waits as one whose time is over, with the delegation that it carries. */
  @PostMapping("/admin/a2a-queue/{queueId}/expire")
  QueueView expire(Caller caller, @PathVariable UUID queueId) {
    Access.requireAdmin(caller);
    return end(queueId, EndState.EXPIRED, "expired by an operator");
  }

  /** Ends a message that waits as one that is not wanted, with the delegation that it carries. */
  @PostMapping("/admin/a2a-queue/{queueId}/cancel")
  QueueView cancel(Caller caller, @PathVariable UUID queueId) {
    Access.requireAdmin(caller);
    return end(queueId, EndState.DROPPED, "cancelled by an operator");
  }

  private QueueView end(UUID queueId, EndState end, String why) {
    boolean ended = transactions.execute(status -> queue.endUnsent(queueId, end, why));
    if (!ended) {
      throw refusal(queueId);
    }
    return view(queueId);
  }

  private QueueView view(UUID queueId) {
    return QueueView.of(queue.find(queueId).orElseThrow(() -> unknown(queueId)), null, null);
  }

  private static ProblemException unknown(UUID queueId) {
    return new ProblemException(
        ErrorCode.NOT_FOUND, "no message " + queueId + " is in the queue, or no longer");
  }

  /** Why nothing can be done about a message that does not wait. */
  private ProblemException refusal(UUID queueId) {
    QueuedMessage found = queue.find(queueId).orElseThrow(() -> unknown(queueId));
    return found.state().isEnd()
        ? new ProblemException(
            ErrorCode.WRONG_STATE,
            "the message is " + found.state().wire() + " (expected: one that waits)",
            Map.of("state", found.state().wire()))
        : new ProblemException(
            ErrorCode.DELIVERING,
            "the message is being delivered right now; try again when that attempt has ended");
  }
}
