package dev.muster.message.flow;

import dev.muster.message.flow.ModelCommand.Behavior;
import dev.muster.message.flow.ModelState.Call;
import dev.muster.message.flow.ModelState.Delegation;
import dev.muster.message.flow.ModelState.Kind;
import dev.muster.message.flow.ModelState.Open;
import dev.muster.message.flow.ModelState.Outcome;
import dev.muster.message.flow.ModelState.Request;
import dev.muster.message.flow.ModelState.Row;
import dev.muster.message.flow.ModelState.Status;
import dev.muster.message.flow.ModelState.Workspace;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Begins, retries and completes deliveries in a state of plain values. {@link DeliveryModel}
 * decides which of these a command does.
 */
final class ModelDeliveries {

  private static final String POLLED = "200 poll";
  private static final String QUEUED = "202 queued";
  private static final String PAUSED = "503 WORKSPACE_PAUSED";
  private static final String REMOVED = "410 WORKSPACE_REMOVED";
  private static final String IN_DOUBT = "504 AGENT_TIMEOUT";
  private static final String UNREACHABLE = "503 AGENT_UNREACHABLE";

  private final ModelState state;

  ModelDeliveries(ModelState state) {
    this.state = state;
  }

  /** Sends a new message; returns its row, unless it is refused. */
  Optional<Row> send(Request request, String sender, Workspace target, String id, int priority) {
    if (target.isRemoved()) {
      request.allowedAnswers = Set.of(REMOVED);
      return Optional.empty();
    }
    if (!target.polls && target.status == Status.PAUSED) {
      request.allowedAnswers = Set.of(PAUSED);
      return Optional.empty();
    }
    boolean goesAtOnce = !target.polls && target.canTake() && !target.hasQueuedOf(sender);
    Row row = state.append(target, id, sender, Kind.MESSAGE, priority);
    state.messages.add(row);
    if (target.polls) {
      request.allowedAnswers = Set.of(POLLED);
    } else if (goesAtOnce) {
      row.open = new Open(false, row.priority, row.order, 0);
      call(row, request);
    } else {
      queue(row, 0);
      request.allowedAnswers = Set.of(QUEUED);
    }
    return Optional.of(row);
  }

  /**
   * Sends a duplicate message. A replica may have an old state of the target in its cache, and then
   * answers from the row where another one refuses since the target is removed.
   */
  void repeat(Request request, Row row) {
    answerFrom(request, row, false);
    if (row.owner.isRemoved()) {
      List<String> allowed = new ArrayList<>(request.allowedAnswers);
      allowed.add(REMOVED);
      request.allowedAnswers = Set.copyOf(allowed);
    }
  }

  /** {@code hasWaited}: for a delivery, so the message that answers it is its answer (R7.3). */
  private void answerFrom(Request request, Row row, boolean hasWaited) {
    @Nullable Outcome outcome = row.outcome;
    if (row.open != null && row.open.queued) {
      request.allowedAnswers = Set.of(QUEUED);
    } else if (row.open != null) {
      if (row.owner.isRemoved()) {
        request.allowedAnswers = Set.of(REMOVED);
      } else {
        row.waiting.add(request);
      }
    } else if (outcome == null
        || outcome.state().equals("in_feed")
        || (row.owner.polls && outcome.isAnsweredByMessage() && !hasWaited)) {
      request.allowedAnswers = Set.of(POLLED);
    } else if (outcome.isAnswered()) {
      request.allowedAnswers = Set.of(answerOf(outcome));
    } else {
      deliverAgain(request, row, outcome.deliveries());
    }
  }

  private static String answerOf(Outcome outcome) {
    return outcome.status() + " " + (outcome.status() == 200 ? outcome.said() : "AGENT_HTTP_ERROR");
  }

  private void deliverAgain(Request request, Row row, int deliveries) {
    Workspace target = row.owner;
    if (target.isRemoved()) {
      request.allowedAnswers = Set.of(REMOVED);
    } else if (target.polls) {
      request.allowedAnswers = Set.of(POLLED);
    } else if (target.status == Status.PAUSED) {
      request.allowedAnswers = Set.of(PAUSED);
    } else if (target.canTake()) {
      row.open = new Open(false, row.priority, row.order, deliveries);
      call(row, request);
    } else {
      queue(row, deliveries);
      request.allowedAnswers = Set.of(QUEUED);
      wakeWaiting(row);
    }
  }

  void queue(Row row, int deliveries) {
    int order = row.outcome == null ? row.order : state.nextOrder();
    row.open = new Open(true, row.priority, order, deliveries);
  }

  private void call(Row row, @Nullable Request request) {
    Call call = new Call(row, request);
    Open open = ModelState.requireOpen(row);
    open.isHeld = true;
    open.call = call;
    if (row.owner.isAway) {
      endCall(call, null);
      return;
    }
    row.owner.received.add(row);
    if (row.owner.behavior == Behavior.IS_SILENT) {
      row.owner.calls.add(call);
    } else {
      endCall(call, row.owner.behavior);
    }
  }

  /** {@code behavior}: null when the agent was unreachable. */
  void endCall(Call call, @Nullable Behavior behavior) {
    Row row = call.row;
    @Nullable Request request = call.request;
    boolean isHeld = call.isHeld();
    if (request == null) {
      if (isHeld) {
        endAttempt(row, behavior);
      }
    } else if (!isHeld) {
      answerFrom(request, row, true);
    } else if (behavior == null && ModelState.requireOpen(row).deliveries == 0) {
      request.allowedAnswers = Set.of(UNREACHABLE);
      complete(row, "refused", null, 503, 0);
    } else if (behavior == null || behavior == Behavior.CLOSES) {
      request.allowedAnswers = Set.of(IN_DOUBT);
      complete(row, "uncertain", null, 504, behavior == null ? 0 : 1);
    } else {
      request.allowedAnswers =
          Set.of(behavior.status + (behavior.status == 200 ? " call" : " AGENT_HTTP_ERROR"));
      boolean isNotTaken = behavior == Behavior.IS_BUSY;
      boolean isInDoubt =
          behavior == Behavior.HAS_NO_UPSTREAM
              || (isNotTaken && ModelState.requireOpen(row).deliveries > 0);
      String end = isInDoubt ? "uncertain" : isNotTaken ? "refused" : "answered";
      complete(row, end, null, behavior.status, isNotTaken && !isInDoubt ? 0 : 1);
    }
  }

  private void endAttempt(Row row, @Nullable Behavior behavior) {
    boolean isDelegation = row.kind == Kind.DELEGATION;
    if (behavior == null || behavior == Behavior.CLOSES) {
      giveBack(row, behavior == null ? 0 : 1, 0, true);
    } else if (isTriedAgain(row, behavior)) {
      giveBack(row, behavior == Behavior.IS_BUSY ? 0 : 1, behavior.status, true);
    } else {
      boolean isAnswer = behavior.status == 200;
      if (isDelegation) {
        end(delegationOf(row), isAnswer ? "completed" : "failed");
      }
      complete(row, "answered", isAnswer ? "delivered" : "failed", behavior.status, 1);
    }
  }

  private static boolean isTriedAgain(Row row, Behavior behavior) {
    return switch (behavior) {
      case IS_BUSY, HAS_NO_UPSTREAM -> true;
      case FAILS ->
          row.kind == Kind.RESULT
              || ModelState.requireOpen(row).lastStatus != Behavior.FAILS.status;
      case REJECTS -> row.kind == Kind.RESULT;
      case ANSWERS, CLOSES, IS_SILENT -> false;
    };
  }

  Delegation delegationOf(Row row) {
    return Objects.requireNonNull(state.delegations.get(row.id));
  }

  /** Makes it wait again, unless its agent has answered it by a message, or is removed. */
  void giveBack(Row row, int deliveries, int status, boolean withPause) {
    Open open = ModelState.requireOpen(row);
    if (row.outcome != null && row.outcome.isAnswered()) {
      row.open = null;
      return;
    }
    open.isHeld = false;
    open.call = null;
    open.deliveries += deliveries;
    open.lastStatus = status;
    open.pauseSeconds = withPause ? Math.min(300, 5 << Math.min(10, open.attempts - 1)) : 0;
    if (row.owner.isRemoved()) {
      endUndelivered(row, "dropped");
    }
  }

  /** A stored answer is never overwritten. */
  void complete(Row row, String end, @Nullable String queueState, int status, int deliveries) {
    int all = ModelState.requireOpen(row).deliveries + deliveries;
    row.open = null;
    if (row.outcome == null || !row.outcome.isAnswered()) {
      boolean isSaid = end.equals("answered") && status == 200 && row.kind != Kind.RESULT;
      row.outcome = new Outcome(end, queueState, status, isSaid ? "call" : "-", all);
    }
    wakeWaiting(row);
  }

  void wakeWaiting(Row row) {
    List<Request> woken = row.waiting;
    row.waiting = new ArrayList<>();
    woken.forEach(request -> answerFrom(request, row, true));
  }

  void endUndelivered(Row row, String queueState) {
    boolean isInDoubt = ModelState.requireOpen(row).deliveries > 0;
    if (row.kind == Kind.DELEGATION) {
      end(delegationOf(row), "failed");
    }
    complete(row, isInDoubt ? "uncertain" : "refused", queueState, isInDoubt ? 504 : 503, 0);
  }

  /** Ends it and notifies the caller once (R8.7). */
  void end(Delegation delegation, String status) {
    if (!delegation.isInFlight()) {
      return;
    }
    delegation.status = status;
    Workspace caller = delegation.caller;
    if (!caller.isRemoved()) {
      Row row = state.append(caller, delegation.id + ":result", "system", Kind.RESULT, 100);
      if (!caller.polls) {
        queue(row, 0);
      }
    }
  }

  /** Claims deliveries until no replica may claim another one. */
  void settle() {
    boolean isSettled = false;
    while (!isSettled) {
      isSettled = true;
      for (Workspace target : state.workspaces.values()) {
        Optional<Row> next = target.next();
        if (next.isPresent()) {
          isSettled = false;
          attempt(next.get());
        }
      }
    }
  }

  private void attempt(Row row) {
    ModelState.requireOpen(row).attempts++;
    if (row.kind == Kind.DELEGATION && !delegationOf(row).isInFlight()) {
      complete(row, "refused", "dropped", 503, 0);
    } else if (row.owner.polls) {
      complete(row, "in_feed", "delivered", 200, 0);
    } else {
      call(row, null);
    }
  }
}
