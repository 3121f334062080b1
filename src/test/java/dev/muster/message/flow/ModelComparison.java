package dev.muster.message.flow;

import static java.util.Objects.requireNonNull;

import dev.muster.message.flow.ModelState.Request;
import dev.muster.message.flow.ModelState.Row;
import dev.muster.message.flow.ModelState.Workspace;
import dev.muster.testing.TestClient.Answer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.pollinterval.FibonacciPollInterval;
import tools.jackson.databind.JsonNode;

/** Compares the state of servers, agents and senders with the model. */
final class ModelComparison {

  private final ModelServers servers;
  private final ModelState state;
  private final Connection database;
  private final List<UUID> ids;
  private final UnaryOperator<String> named;
  private final Function<String, List<String>> received;
  private final Map<Integer, CompletableFuture<Answer>> answers;

  /**
   * {@code received} returns the messages that the agent of this name received, {@code named} maps
   * workspaces and delegations to their names in the model.
   */
  ModelComparison(
      ModelServers servers,
      ModelState state,
      Connection database,
      List<UUID> ids,
      UnaryOperator<String> named,
      Function<String, List<String>> received,
      Map<Integer, CompletableFuture<Answer>> answers) {
    this.servers = servers;
    this.state = state;
    this.database = database;
    this.ids = ids;
    this.named = named;
    this.received = received;
    this.answers = answers;
  }

  /**
   * Waits until the servers reach the state of the model, and every answered sender has its answer.
   */
  void awaitAgreement(Duration timeout) {
    List<String> expected = expected();
    boolean anyRemoved = state.workspaces.values().stream().anyMatch(Workspace::isRemoved);
    List<String> actual = new ArrayList<>();
    try {
      Awaitility.await()
          .pollDelay(Duration.ZERO)
          .pollInterval(FibonacciPollInterval.fibonacci())
          .pollInSameThread()
          .atMost(timeout)
          .until(() -> {
            actual.clear();
            actual.addAll(actual());
            boolean isSame = actual.equals(expected);
            if (!isSame && anyRemoved) {
              servers.bean(0, DeliverySweep.class).run();
            }
            return isSame;
          });
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(difference(expected, actual), e);
    }
  }

  private static String difference(List<String> expected, List<String> actual) {
    List<String> missing = new ArrayList<>(expected);
    actual.forEach(missing::remove);
    List<String> unexpected = new ArrayList<>(actual);
    expected.forEach(unexpected::remove);
    return "model:\n  "
        + String.join("\n  ", missing)
        + "\nserver:\n  "
        + String.join("\n  ", unexpected);
  }

  private List<String> expected() {
    List<String> lines = new ArrayList<>(ModelView.of(state));
    for (String name : ModelState.TARGETS) {
      Workspace agent = state.workspace(name);
      lines.addAll(ModelView.received(agent, agent.received));
    }
    state.requests.forEach(one -> lines.add("request " + one.number + ": " + expected(one)));
    return lines;
  }

  private static String expected(Request request) {
    return request.allowedAnswers.isEmpty() ? "waits" : "got an allowed answer";
  }

  private List<String> actual() throws SQLException {
    List<String> lines = new ArrayList<>(ModelView.of(database, ids, named));
    for (String name : ModelState.TARGETS) {
      Workspace agent = state.workspace(name);
      lines.addAll(ModelView.received(agent, received(name, agent)));
    }
    state.requests.forEach(one -> lines.add("request " + one.number + ": " + actual(one)));
    return lines;
  }

  private List<Row> received(String name, Workspace agent) {
    return received.apply(name).stream()
        .map(id -> agent.rows.stream().filter(row -> row.id.equals(id)).findFirst().orElse(null))
        .filter(Objects::nonNull)
        .toList();
  }

  private String actual(Request request) {
    CompletableFuture<Answer> answer = requireNonNull(answers.get(request.number));
    if (!answer.isDone()) {
      return "waits";
    }
    String is = summaryOf(ModelWorld.decided(answer.join()));
    return request.allowedAnswers.contains(is)
        ? "got an allowed answer"
        : "got " + is + ", not " + request.allowedAnswers;
  }

  private static String summaryOf(Answer answer) {
    JsonNode body = answer.json();
    String code = body.path("code").asString("");
    if (!code.isEmpty()) {
      return answer.status() + " " + code;
    }
    if (body.path("status").asString("").equals("queued")) {
      return answer.status() + (body.has("queue_id") ? " queued" : " poll");
    }
    return answer.status() + " " + ModelView.said(answer.text());
  }
}
