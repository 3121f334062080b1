package dev.muster.delivery;

import static java.util.Objects.requireNonNull;

import dev.muster.delivery.ModelState.Request;
import dev.muster.delivery.ModelState.Row;
import dev.muster.delivery.ModelState.Workspace;
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

/** Holds what servers, agents and senders have come to against the model. */
final class ModelComparison {

  private final ModelServers servers;
  private final ModelState state;
  private final Connection database;
  private final List<UUID> ids;
  private final UnaryOperator<String> named;
  private final Function<String, List<String>> given;
  private final Map<Integer, CompletableFuture<Answer>> told;

  /**
   * {@code given} tells the messages that the agent of this name was given, {@code named} how the
   * model calls a workspace or a delegation.
   */
  ModelComparison(
      ModelServers servers,
      ModelState state,
      Connection database,
      List<UUID> ids,
      UnaryOperator<String> named,
      Function<String, List<String>> given,
      Map<Integer, CompletableFuture<Answer>> told) {
    this.servers = servers;
    this.state = state;
    this.database = database;
    this.ids = ids;
    this.named = named;
    this.given = given;
    this.told = told;
  }

  /** Until the servers have come to the state of the model, and those who wait were told. */
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
      lines.addAll(ModelView.given(agent, agent.given));
    }
    state.requests.forEach(one -> lines.add("request " + one.number + ": " + expected(one)));
    return lines;
  }

  private static String expected(Request request) {
    return request.told.isEmpty() ? "waits" : "is told what it may be told";
  }

  private List<String> actual() throws SQLException {
    List<String> lines = new ArrayList<>(ModelView.of(database, ids, named));
    for (String name : ModelState.TARGETS) {
      Workspace agent = state.workspace(name);
      lines.addAll(ModelView.given(agent, given(name, agent)));
    }
    state.requests.forEach(one -> lines.add("request " + one.number + ": " + actual(one)));
    return lines;
  }

  private List<Row> given(String name, Workspace agent) {
    return given.apply(name).stream()
        .map(id -> agent.rows.stream().filter(row -> row.id.equals(id)).findFirst().orElse(null))
        .filter(Objects::nonNull)
        .toList();
  }

  private String actual(Request request) {
    CompletableFuture<Answer> answer = requireNonNull(told.get(request.number));
    if (!answer.isDone()) {
      return "waits";
    }
    String is = told(answer.join());
    return request.told.contains(is)
        ? "is told what it may be told"
        : "is told " + is + ", not " + request.told;
  }

  private static String told(Answer answer) {
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
