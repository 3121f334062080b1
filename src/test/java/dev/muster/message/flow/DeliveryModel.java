package dev.muster.message.flow;

import dev.muster.message.flow.ModelCommand.Behavior;
import dev.muster.message.flow.ModelState.Call;
import dev.muster.message.flow.ModelState.Delegation;
import dev.muster.message.flow.ModelState.Kind;
import dev.muster.message.flow.ModelState.Open;
import dev.muster.message.flow.ModelState.Outcome;
import dev.muster.message.flow.ModelState.Row;
import dev.muster.message.flow.ModelState.Status;
import dev.muster.message.flow.ModelState.Workspace;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A model of deliveries by the rules of R3.2, R7.3 to R7.7, R7.11 and R8.3: each command leads to
 * the next stable state. It is pure; {@link ModelRun} compares it with a server.
 */
final class DeliveryModel {

  final ModelState state = new ModelState();
  final ModelDeliveries deliveries = new ModelDeliveries(state);

  void delegate(String id, Workspace caller, Workspace callee) {
    state.delegations.put(id, new Delegation(id, caller, callee));
    state.append(caller, id, caller.name, Kind.NOTE, 50);
    Row row = state.append(callee, id, caller.name, Kind.DELEGATION, 50);
    if (!callee.polls) {
      deliveries.queue(row, 0);
    }
  }

  /** The agent answers by a message of its own; the first answer is kept (R7.11). */
  void reply(Row asked, String said) {
    Outcome before = asked.outcome;
    if (before != null && before.isAnswered()) {
      return;
    }
    @Nullable String queueState = asked.open != null && asked.open.queued ? "delivered" : null;
    if (before != null && before.queueState() != null) {
      queueState = before.queueState();
    }
    asked.outcome = new Outcome("answered", queueState, 200, said, 0);
    if (asked.isWaiting()) {
      asked.open = null;
    }
  }

  void behave(Workspace agent, Behavior behavior) {
    agent.behavior = behavior;
    if (behavior == Behavior.IS_SILENT) {
      return;
    }
    List<Call> ended = List.copyOf(agent.calls);
    agent.calls.clear();
    List<Call> held = ended.stream().filter(Call::isHeld).toList();
    held.forEach(call -> deliveries.endCall(call, behavior));
    ended.stream()
        .filter(call -> !held.contains(call))
        .forEach(call -> deliveries.endCall(call, behavior));
  }

  /** Answers one call, and returns its message. */
  Optional<Row> answerOne(Workspace agent) {
    if (agent.calls.isEmpty()) {
      return Optional.empty();
    }
    Call call = agent.calls.removeFirst();
    deliveries.endCall(call, Behavior.ANSWERS);
    return Optional.of(call.row);
  }

  void changeMode(Workspace agent, boolean polls) {
    if (agent.polls == polls) {
      return;
    }
    agent.polls = polls;
    if (polls) {
      agent.waiting().forEach(row -> deliveries.complete(row, "in_feed", "delivered", 200, 0));
      return;
    }
    agent.rows.stream()
        .filter(row -> row.kind != Kind.NOTE && !row.isRead && row.open == null)
        .filter(row -> row.outcome == null || row.outcome.state().equals("in_feed"))
        .forEach(row -> row.open = new Open(true, row.priority, row.order, 0));
  }

  void remove(Workspace agent) {
    agent.status = Status.REMOVED;
    for (Delegation delegation : state.delegations.values()) {
      if (delegation.callee == agent || delegation.caller == agent) {
        deliveries.end(delegation, "failed");
      }
    }
    agent.waiting().forEach(row -> deliveries.endUndelivered(row, "dropped"));
    List.copyOf(agent.rows).stream().filter(Row::isSending).forEach(deliveries::wakeWaiting);
  }

  void expire(Workspace agent) {
    agent.waiting().forEach(row -> deliveries.endUndelivered(row, "expired"));
  }

  void endPauses(Workspace agent) {
    agent.waiting().forEach(row -> ModelState.requireOpen(row).pauseSeconds = 0);
  }

  /** Deliveries of direct messages become uncertain; those of queued messages wait again. */
  void loseReplica(Workspace agent) {
    for (Row row : List.copyOf(agent.rows)) {
      if (row.open != null && row.open.isHeld) {
        if (row.open.queued) {
          deliveries.giveBack(row, 1, ModelState.requireOpen(row).lastStatus, false);
        } else {
          deliveries.complete(row, "uncertain", null, 504, 1);
        }
      }
    }
  }
}
