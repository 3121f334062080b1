package dev.muster.message.flow;

import static java.util.Objects.requireNonNull;

import dev.muster.message.flow.ModelState.Request;
import dev.muster.message.flow.ModelState.Row;
import dev.muster.message.flow.ModelState.Workspace;
import dev.muster.message.store.ActivityKey;
import dev.muster.platform.work.LongPollRegistry;
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
    waits().forEach(one -> lines.add(one.line(one.expected())));
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
    waits().forEach(one -> lines.add(one.line(waiters(one))));
    return lines;
  }

  /** The requests at one server that wait until the delivery of a row ends. */
  private record Waits(Row row, ActivityKey key, int server) {

    long expected() {
      return row.waiting.stream().filter(one -> one.server == server).count();
    }

    String line(long requests) {
      return requests + " requests for " + row.id + " wait at server " + server;
    }
  }

  /**
   * Those that do not wait yet would get another answer when the next command ends the delivery.
   */
  private List<Waits> waits() {
    List<Waits> all = new ArrayList<>();
    List<Workspace> workspaces = List.copyOf(state.workspaces.values());
    for (int i = 0; i < workspaces.size(); i++) {
      List<Row> rows = workspaces.get(i).rows;
      for (int n = 0; n < rows.size(); n++) {
        if (!rows.get(n).waiting.isEmpty()) {
          ActivityKey key = new ActivityKey(ids.get(i), n + 1);
          all.add(new Waits(rows.get(n), key, 0));
          all.add(new Waits(rows.get(n), key, 1));
        }
      }
    }
    return all;
  }

  private long waiters(Waits of) {
    return servers.bean(of.server, LongPollRegistry.class).waitersOf(of.key);
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
