package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.util.Objects.requireNonNull;

import dev.muster.message.flow.ModelCommand.Behavior;
import dev.muster.message.flow.ModelState.Request;
import dev.muster.message.queue.TestQueue;
import dev.muster.message.store.QueueWakeUps;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The workspaces of one run on the real servers, their agents, and all answers to senders. */
final class ModelWorld implements AutoCloseable {

  /** Longer than any run: a sender's wait ends by a command. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(10);

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final ModelServers servers;
  private final Connection database;
  private final Map<String, Agent> workspaces = new LinkedHashMap<>();
  private final Map<String, CountingAgent> agents = new HashMap<>();
  private final Map<String, ModelAgent> behaviors = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, String> delegations = new HashMap<>();
  private final Map<Integer, CompletableFuture<Answer>> answers = new LinkedHashMap<>();
  private final ModelComparison comparison;

  ModelWorld(ModelServers servers, ModelState state) throws IOException, SQLException {
    this.servers = servers;
    this.database = servers.database().connect();
    Agent team = client(0).create("Team");
    String parent = "\"parent_id\":\"" + team.id() + "\"";
    for (String name : ModelState.SENDERS) {
      create(name, parent, "\"delivery_mode\":\"poll\"");
    }
    for (String name : ModelState.TARGETS) {
      CountingAgent agent = new CountingAgent();
      ModelAgent behavior = new ModelAgent();
      agent.works(behavior);
      agents.put(name, agent);
      behaviors.put(name, behavior);
      create(
          name,
          parent,
          "\"delivery_mode\":\"push\"",
          "\"url\":\"" + agent.url() + "\"",
          "\"max_concurrent_tasks\":" + ModelState.slotsOf(name));
    }
    this.comparison =
        new ModelComparison(
            servers,
            state,
            database,
            workspaces.values().stream().map(Agent::id).toList(),
            this::named,
            this::received,
            answers);
  }

  private void create(String name, String... fields) {
    Agent agent = client(0).create(name, fields);
    workspaces.put(name, agent);
    names.put(agent.id().toString(), name);
  }

  private TestClient client(int server) {
    return servers.client(server);
  }

  private Agent workspace(String name) {
    return requireNonNull(workspaces.get(name));
  }

  private String path(String name) {
    return "/workspaces/" + workspace(name).id();
  }

  private String named(String id) {
    String end = id.endsWith(":result") ? ":result" : "";
    String known = id.substring(0, id.length() - end.length());
    return names.getOrDefault(known, known) + end;
  }

  /** The database was too slow for an answer (R0.6), so the outcome is unknown. */
  static final class UndecidedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    UndecidedException(Answer answer) {
      super(answer.text());
    }
  }

  /** Throws an {@link UndecidedException} for a 503 {@code UNAVAILABLE}. */
  static Answer decided(Answer answer) {
    if (answer.isUndecided()) {
      throw new UndecidedException(answer);
    }
    return answer;
  }

  private static Answer require(int status, Answer answer) {
    if (decided(answer).status() != status) {
      throw new AssertionError("answers " + answer.status() + " " + answer.text());
    }
    return answer;
  }

  /** Sends, and keeps the future answer. */
  void send(Request request, String sender, String target, String id, int priority, String more) {
    String body =
        """
        {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"priority":%d,"message":{"messageId":"%s",
        "parts":[{"kind":"text","text":"Hello.%s"}]}}}
        """
            .formatted(priority, id, more);
    HttpRequest post =
        HttpRequest.newBuilder(URI.create(client(request.server).baseUrl() + path(target) + "/a2a"))
            .header("Authorization", "Bearer " + workspace(sender).token())
            .timeout(MAX_WAIT)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    answers.put(
        request.number,
        HTTP.sendAsync(post, HttpResponse.BodyHandlers.ofString())
            .thenApply(is -> new Answer(is.statusCode(), is.headers(), is.body())));
  }

  Answer post(int server, String name, String path, String token, String body) {
    return require(200, client(server).post(path(name) + path, token, body));
  }

  void delegate(int server, String id, String caller, String callee) {
    String body = "{\"target_id\":\"" + workspace(callee).id() + "\",\"task\":\"Do it.\"}";
    Answer answer =
        require(
            202, client(server).post(path(caller) + "/delegate", workspace(caller).token(), body));
    names.put(answer.field("delegation_id"), id);
    delegations.put(id, answer.field("delegation_id"));
  }

  void report(int server, String id, String caller, String status, int expected) {
    String path = path(caller) + "/delegations/" + delegations.get(id) + "/update";
    Answer _ =
        require(
            expected,
            client(server)
                .post(path, workspace(caller).token(), "{\"status\":\"" + status + "\"}"));
  }

  /** {@code field} of the metadata names the message or delegation that it answers. */
  void reply(int server, String from, String to, String id, String field, String asked) {
    String body =
        """
        {"method":"message/send","params":{"message":{"messageId":"%s","parts":[{"kind":"text","text":"said-%s"}],
        "metadata":{"%s":"%s"}}}}
        """
            .formatted(id, id, field, delegations.getOrDefault(asked, asked));
    Answer _ = post(server, to, "/a2a", workspace(from).token(), body);
  }

  void heartbeat(int server, String name, boolean degraded, int activeTasks) {
    Answer _ =
        require(
            200,
            client(server)
                .heartbeat(
                    workspace(name),
                    "\"active_tasks\":" + activeTasks,
                    "\"error_rate\":" + (degraded ? 1 : 0)));
  }

  void remove(int server, String name) {
    Answer _ = require(200, client(server).delete(path(name), ADMIN_TOKEN));
  }

  void patch(int server, String name, boolean polls, boolean away) {
    String url = away ? TestQueue.NOWHERE : requireNonNull(agents.get(name)).url();
    String body =
        polls
            ? "{\"delivery_mode\":\"poll\"}"
            : "{\"delivery_mode\":\"push\",\"url\":\"" + url + "\"}";
    Answer _ = require(200, client(server).patch(path(name), ADMIN_TOKEN, body));
  }

  void acknowledge(int server, String name, int rows) {
    String body = "{\"acked_seq\":" + rows + "}";
    Answer _ = post(server, name, "/activity/ack", workspace(name).token(), body);
  }

  void behave(String name, Behavior behavior) {
    requireNonNull(behaviors.get(name)).behave(behavior);
  }

  void answerOne(String name, String id) {
    boolean isResult = id.endsWith(":result");
    String known = isResult ? id.substring(0, id.indexOf(':')) : id;
    String messageId = delegations.getOrDefault(known, known) + (isResult ? ":result" : "");
    requireNonNull(behaviors.get(name)).answerOne(messageId);
  }

  private void execute(String sql, String name) {
    try (Statement statement = database.createStatement()) {
      statement.execute(sql + " WHERE workspace_id = '" + workspace(name).id() + "'");
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  void goOffline(String name) {
    execute("UPDATE workspace_heartbeats SET status = 'offline'", name);
  }

  void endPauses(int server, String name) {
    execute("UPDATE deliveries SET due_at = least(due_at, statement_timestamp())", name);
    servers.bean(server, QueueWakeUps.class).queued(Set.of(workspace(name).id()));
  }

  void expire(int server, String name) {
    execute(
        "UPDATE deliveries SET expires_at = CASE WHEN owner IS NULL THEN statement_timestamp() -"
            + " interval '1 second' ELSE expires_at END",
        name);
    servers.bean(server, DeliverySweep.class).run();
  }

  void loseReplica(int server, String name) {
    execute(
        "UPDATE deliveries SET owner = CASE WHEN owner IS NOT NULL THEN '"
            + UUID.randomUUID()
            + "'::uuid END",
        name);
    servers.bean(server, DeliverySweep.class).takeOver();
  }

  /**
   * Waits until the servers reach the state of the model, and every answered sender has its answer.
   */
  void awaitAgreement(Duration timeout) {
    comparison.awaitAgreement(timeout);
  }

  private List<String> received(String agent) {
    return requireNonNull(agents.get(agent)).received().stream().map(this::named).toList();
  }

  @Override
  public void close() throws IOException, SQLException {
    behaviors.values().forEach(agent -> agent.behave(Behavior.ANSWERS));
    for (CountingAgent agent : agents.values()) {
      agent.close();
    }
    database.close();
  }
}
