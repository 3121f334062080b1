package dev.muster.message.feed;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import dev.muster.message.store.MessageStore;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A workspace's feed, used over HTTP by its agent, the admin and others. */
public record TestFeed(TestServer server, Agent agent) {

  static final JsonMapper JSON = JsonMapper.shared();

  /** A client without a timeout, since polls may wait long. */
  private static final HttpClient WITHOUT_TIMEOUT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  static TestFeed create(String name) {
    return new TestFeed(TestServer.shared(), TestServer.shared().client().create(name));
  }

  TestClient client() {
    return server.client();
  }

  /** The same feed, read and written at another server. */
  TestFeed at(TestServer another) {
    return new TestFeed(another, agent);
  }

  public UUID id() {
    return agent.id();
  }

  public String path(String rest) {
    return "/workspaces/" + agent.id() + "/activity" + rest;
  }

  /** {@code fields} are members of a JSON object. */
  public Answer report(String fields) {
    return client().post(path(""), agent.token(), "{" + fields + "}");
  }

  /** Reports and returns the new row's id. */
  String reported(String fields) {
    Answer answer = report(fields);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.field("id");
  }

  public String log(String summary) {
    return reported("\"activity_type\":\"agent_log\",\"summary\":\"" + summary + "\"");
  }

  Answer notify(String fields) {
    return client()
        .post("/workspaces/" + agent.id() + "/notify", agent.token(), "{" + fields + "}");
  }

  public Answer acknowledge(String value) {
    return client().patient().post(path("/ack"), agent.token(), "{\"acked_seq\":" + value + "}");
  }

  /** Stores an inbound message; of Ann at the canvas when {@code sender} is null. */
  public String receive(@Nullable UUID sender, String text) {
    return receiveRequest(
        sender, request("m-1", "{\"kind\":\"text\",\"text\":" + quoted(text) + "}"));
  }

  String receiveRequest(@Nullable UUID sender, String json) {
    AppendResult appended =
        server
            .bean(MessageStore.class)
            .append(
                NewActivity.inbound(
                        id(),
                        sender,
                        "message/send",
                        "message/send → " + id(),
                        new RawJson(json),
                        MessageContent.ofRequest(JSON.readTree(json)),
                        null)
                    .by(sender == null ? "Ann" : null));
    assertThat(appended).isInstanceOf(AppendResult.Stored.class);
    return ((AppendResult.Stored) appended).id().toString();
  }

  static String request(String messageId, String parts) {
    return """
    {"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user",\
    "messageId":"%s","parts":[%s]}}}\
    """
        .formatted(messageId, parts);
  }

  static String quoted(String text) {
    return JSON.writeValueAsString(text);
  }

  /** Reads with the workspace's own token; {@code query} begins with "?" unless it is empty. */
  Answer get(String query) {
    return client().get(path(query), agent.token());
  }

  Answer getAsAdmin(String query) {
    return client().get(path(query), ADMIN_TOKEN);
  }

  public JsonNode rows(String query) {
    return rowsOf(get(query));
  }

  public JsonNode rowsForAdmin(String query) {
    return rowsOf(getAsAdmin(query));
  }

  List<Long> seqs(String query) {
    return seqs(rows(query));
  }

  public List<Long> seqsForAdmin(String query) {
    return seqs(rowsForAdmin(query));
  }

  static JsonNode rowsOf(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode rows = answer.json();
    assertThat(rows.isArray()).as(answer.text()).isTrue();
    return rows;
  }

  static List<Long> seqs(JsonNode rows) {
    List<Long> seqs = new ArrayList<>();
    rows.forEach(row -> seqs.add(row.path("seq").asLong()));
    return seqs;
  }

  public static String idOfLast(JsonNode rows) {
    return rows.path(rows.size() - 1).path("id").asString();
  }

  /** One complete row, as the admin reads it. */
  Answer one(String activityId) {
    return client().get(path("/" + activityId), ADMIN_TOKEN);
  }

  JsonNode newest() {
    return rowsForAdmin("?limit=1").path(0);
  }

  CompletableFuture<Answer> poll(String query) {
    return poll(query, agent.token());
  }

  /** Polls, and once more when the server could not tell. */
  CompletableFuture<Answer> poll(String query, String token) {
    return pollOnce(query, token)
        .thenCompose(answer ->
            answer.isUndecided()
                ? pollOnce(query, token)
                : CompletableFuture.completedFuture(answer));
  }

  CompletableFuture<Answer> pollOnce(String query, String token) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(client().baseUrl() + path(query)))
            .header("Authorization", "Bearer " + token)
            .build();
    return WITHOUT_TIMEOUT
        .sendAsync(request, HttpResponse.BodyHandlers.ofString())
        .thenApply(
            response -> new Answer(response.statusCode(), response.headers(), response.body()));
  }

  /** Returns how many polls wait at the server now, by its metrics. */
  long waiting() {
    return server
        .metrics()
        .lines()
        .filter(line -> line.startsWith("muster_polls_waiting"))
        .map(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }

  /** Deletes a row as the retention does. */
  public void forget(String activityId) {
    server
        .database()
        .execute("DELETE FROM activity_logs l" + StoredRows.where(server.database(), activityId));
  }
}
