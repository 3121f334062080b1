package dev.muster.runtime;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** A workspace's stream of runtime events, used over HTTP by its agent and the admin. */
record TestStream(TestClient client, Agent agent) {

  static TestStream create(TestClient client, String name) {
    return new TestStream(client, client.create(name));
  }

  /** The same stream at another server. */
  TestStream at(TestClient another) {
    return new TestStream(another, agent);
  }

  String path(String rest) {
    return "/workspaces/" + agent.id() + rest;
  }

  Answer post(String body) {
    return client.post(path("/runtime-events"), agent.token(), body);
  }

  void add(RuntimeEvent... events) {
    Answer answer = post(envelopes(events));
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    assertThat(answer.json().path("accepted").asInt()).isEqualTo(events.length);
  }

  static String envelopes(RuntimeEvent... events) {
    return Arrays.stream(events)
        .map(RuntimeEvent::encode)
        .collect(Collectors.joining(",", "[", "]"));
  }

  JsonNode runs(String query) {
    return rows(client.get(path("/runtime-runs" + query), agent.token()));
  }

  JsonNode run() {
    JsonNode runs = runs("");
    assertThat(runs.size()).as(runs.toString()).isEqualTo(1);
    return runs.path(0);
  }

  JsonNode replay(String query) {
    return rows(client.get(path("/runtime-events" + query), agent.token()));
  }

  /** Reads all stored events, page by page, by the Link headers. */
  List<JsonNode> replayAll(int limit) {
    List<JsonNode> all = new ArrayList<>();
    String next = path("/runtime-events?limit=" + limit);
    while (!next.isEmpty()) {
      Answer answer = client.get(next, ADMIN_TOKEN);
      rows(answer).forEach(all::add);
      next = answer.next();
    }
    return all;
  }

  static JsonNode rows(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  static String chunksOf(List<JsonNode> events) {
    return events.stream()
        .map(event -> event.path("payload").path("chunk").asString(""))
        .collect(Collectors.joining());
  }
}
