package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;

import dev.muster.message.flow.ModelState.Delegation;
import dev.muster.message.flow.ModelState.Kind;
import dev.muster.message.flow.ModelState.Request;
import dev.muster.message.flow.ModelState.Row;
import dev.muster.message.flow.ModelState.Status;
import dev.muster.message.flow.ModelState.Workspace;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One run: sends commands, one after the other, to workspaces of its own on real servers and to a
 * {@link DeliveryModel}. After each, both must reach the same state.
 */
final class ModelRun implements AutoCloseable {

  /**
   * The most delegations of one caller; results beyond the number of its slots would arrive in any
   * order.
   */
  private static final int MAX_DELEGATIONS = 8;

  private final DeliveryModel model = new DeliveryModel();
  private final ModelState state = model.state;
  private final ModelWorld world;
  private final Duration timeout;
  private int replies;

  ModelRun(ModelServers servers, Duration timeout) throws IOException, SQLException {
    this.world = new ModelWorld(servers, state);
    this.timeout = timeout;
  }

  /** Throws an {@link AssertionError} that describes the difference, if there is one. */
  void apply(ModelCommand command) throws SQLException {
    if (run(command)) {
      model.deliveries.settle();
      world.awaitAgreement(timeout);
    }
  }

  /** Returns false when the command is not applicable in this state. */
  private boolean run(ModelCommand command) {
    return switch (command) {
      case ModelCommand.Send one -> send(one);
      case ModelCommand.Repeat(int server, int number) -> repeat(server, number);
      case ModelCommand.SendOtherContent(int server, int number) ->
          sendOtherContent(server, number);
      case ModelCommand.Delegate(int server, String caller, String callee) ->
          delegate(server, state.workspace(caller), state.workspace(callee));
      case ModelCommand.Report(int server, int number, String status) ->
          report(server, number, status);
      case ModelCommand.ReplyToDelegation(int server, int number) ->
          replyToDelegation(server, number);
      case ModelCommand.ReplyToMessage(int server, int number) -> replyToMessage(server, number);
      case ModelCommand.SendHeartbeat(int server, String name, boolean degraded, int activeTasks) ->
          heartbeat(server, state.workspace(name), degraded, activeTasks);
      case ModelCommand.GoOffline(String name) -> goOffline(state.workspace(name));
      case ModelCommand.Pause(int server, String name) -> pause(server, state.workspace(name));
      case ModelCommand.Resume(int server, String name) -> resume(server, state.workspace(name));
      case ModelCommand.Remove(int server, String name) -> remove(server, state.workspace(name));
      case ModelCommand.ChangeMode(int server, String name, boolean polls) ->
          changeMode(server, state.workspace(name), polls);
      case ModelCommand.Move(int server, String name, boolean away) ->
          move(server, state.workspace(name), away);
      case ModelCommand.Behave(String name, ModelCommand.Behavior behavior) ->
          !state.workspace(name).wouldQueueSeveral() && behave(name, behavior);
      case ModelCommand.AnswerOne(String name) -> {
        Optional<Row> answered = model.answerOne(state.workspace(name));
        answered.ifPresent(row -> world.answerOne(name, row.id));
        yield answered.isPresent();
      }
      case ModelCommand.Acknowledge(int server, String name) ->
          acknowledge(server, state.workspace(name));
      case ModelCommand.EndPauses(int server, String name) -> {
        model.endPauses(state.workspace(name));
        world.endPauses(server, name);
        yield true;
      }
      case ModelCommand.Expire(int server, String name) -> {
        model.expire(state.workspace(name));
        world.expire(server, name);
        yield true;
      }
      case ModelCommand.LoseReplica(int server, String name) -> {
        if (state.workspace(name).wouldQueueSeveral()) {
          yield false;
        }
        model.loseReplica(state.workspace(name));
        world.loseReplica(server, name);
        yield true;
      }
    };
  }

  private boolean behave(String name, ModelCommand.Behavior behavior) {
    model.behave(state.workspace(name), behavior);
    world.behave(name, behavior);
    return true;
  }

  private Request request(int server) {
    Request request = new Request(state.requests.size() + 1, server);
    state.requests.add(request);
    return request;
  }

  private boolean send(ModelCommand.Send one) {
    Request request = request(one.server());
    Workspace target = state.workspace(one.target());
    String id = "m" + request.number;
    Optional<Row> _ = model.deliveries.send(request, one.sender(), target, id, one.priority());
    world.send(request, one.sender(), one.target(), id, one.priority(), "");
    return true;
  }

  private Optional<Row> message(int number) {
    return state.messages.isEmpty()
        ? Optional.empty()
        : Optional.of(state.messages.get(number % state.messages.size()));
  }

  /**
   * A duplicate that waits for a delivery to an agent that is removed may be answered at once, or
   * wait.
   */
  private boolean repeat(int server, int number) {
    Optional<Row> row = message(number).filter(one -> !one.isSending() || !one.owner.isRemoved());
    row.ifPresent(one -> {
      Request request = request(server);
      model.deliveries.repeat(request, one);
      world.send(request, one.from, one.owner.name, one.id, one.priority, "");
    });
    return row.isPresent();
  }

  private boolean sendOtherContent(int server, int number) {
    Optional<Row> row = message(number).filter(one -> !one.owner.isRemoved());
    row.ifPresent(one -> {
      Request request = request(server);
      request.allowedAnswers = Set.of("409 MESSAGE_ID_REUSED");
      world.send(request, one.from, one.owner.name, one.id, one.priority, " Changed.");
    });
    return row.isPresent();
  }

  private boolean delegate(int server, Workspace caller, Workspace callee) {
    long before = state.delegations.values().stream().filter(one -> one.caller == caller).count();
    if (caller == callee || caller.isRemoved() || callee.isRemoved() || before == MAX_DELEGATIONS) {
      return false;
    }
    String id = "d" + (state.delegations.size() + 1);
    world.delegate(server, id, caller.name, callee.name);
    model.delegate(id, caller, callee);
    return true;
  }

  private Optional<Delegation> delegation(int number) {
    List<Delegation> all = List.copyOf(state.delegations.values());
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(number % all.size()));
  }

  private boolean report(int server, int number, String status) {
    Optional<Delegation> found = delegation(number).filter(one -> !one.caller.isRemoved());
    found.ifPresent(one -> {
      boolean isAllowed = one.isInFlight() || one.status.equals(status);
      world.report(server, one.id, one.caller.name, status, isAllowed ? 200 : 409);
      if (one.isInFlight() && status.equals("in_progress")) {
        one.status = status;
      } else {
        model.deliveries.end(one, isAllowed ? status : one.status);
      }
    });
    return found.isPresent();
  }

  private boolean replyToDelegation(int server, int number) {
    Optional<Delegation> found =
        delegation(number).filter(one -> one.caller.name.equals("S1") && !one.callee.isRemoved());
    found.ifPresent(one -> {
      String id = "r" + ++replies;
      world.reply(server, one.callee.name, "S1", id, "delegation_id", one.id);
      state.append(one.caller, id, one.callee.name, Kind.MESSAGE, 50);
      if (one.isInFlight()) {
        one.status = "completed";
        one.callee.rows.stream()
            .filter(row -> row.id.equals(one.id))
            .forEach(row -> model.reply(row, "said-" + id));
      }
    });
    return found.isPresent();
  }

  private boolean replyToMessage(int server, int number) {
    Optional<Row> row = message(number).filter(one -> !one.owner.isRemoved());
    row.ifPresent(one -> {
      String id = "r" + ++replies;
      world.reply(server, one.owner.name, one.from, id, "reply_to", one.id);
      state.append(state.workspace(one.from), id, one.owner.name, Kind.MESSAGE, 50);
      model.reply(one, "said-" + id);
    });
    return row.isPresent();
  }

  private boolean heartbeat(int server, Workspace agent, boolean degraded, int activeTasks) {
    if (agent.isRemoved()) {
      return false;
    }
    world.heartbeat(server, agent.name, degraded, activeTasks);
    agent.activeTasks = activeTasks;
    if (agent.status != Status.PAUSED) {
      agent.status = degraded ? Status.DEGRADED : Status.ONLINE;
    }
    return true;
  }

  private boolean goOffline(Workspace agent) {
    if (agent.status != Status.ONLINE && agent.status != Status.DEGRADED) {
      return false;
    }
    world.goOffline(agent.name);
    agent.status = Status.OFFLINE;
    return true;
  }

  private boolean pause(int server, Workspace agent) {
    if (agent.isRemoved() || agent.status == Status.PAUSED) {
      return false;
    }
    world.post(server, agent.name, "/pause", ADMIN_TOKEN, "");
    agent.status = Status.PAUSED;
    return true;
  }

  private boolean resume(int server, Workspace agent) {
    if (agent.status != Status.PAUSED) {
      return false;
    }
    world.post(server, agent.name, "/resume", ADMIN_TOKEN, "");
    agent.status = Status.AWAITING;
    return true;
  }

  private boolean remove(int server, Workspace agent) {
    if (agent.isRemoved()) {
      return false;
    }
    world.remove(server, agent.name);
    model.remove(agent);
    return true;
  }

  private boolean changeMode(int server, Workspace agent, boolean polls) {
    if (agent.isRemoved()) {
      return false;
    }
    world.patch(server, agent.name, polls, agent.isAway);
    model.changeMode(agent, polls);
    return true;
  }

  private boolean move(int server, Workspace agent, boolean away) {
    agent.isAway = away;
    if (agent.isRemoved() || agent.polls) {
      return false;
    }
    world.patch(server, agent.name, false, away);
    return true;
  }

  private boolean acknowledge(int server, Workspace agent) {
    if (agent.isRemoved() || agent.rows.isEmpty()) {
      return false;
    }
    world.acknowledge(server, agent.name, agent.rows.size());
    agent.rows.forEach(row -> row.isRead = true);
    return true;
  }

  /** Ends all deliveries in progress; none stays open. */
  void end() throws SQLException {
    for (String name : ModelState.TARGETS) {
      boolean _ = behave(name, ModelCommand.Behavior.ANSWERS);
      model.deliveries.settle();
      world.awaitAgreement(timeout);
    }
    for (String name : ModelState.TARGETS) {
      apply(new ModelCommand.Remove(0, name));
    }
    state
        .workspaces
        .values()
        .forEach(workspace -> {
          if (workspace.rows.stream().anyMatch(row -> row.open != null)) {
            throw new AssertionError("a delivery is open after all agents were removed");
          }
        });
  }

  @Override
  public void close() throws IOException, SQLException {
    world.close();
  }
}
