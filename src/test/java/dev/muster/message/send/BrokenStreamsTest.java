package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A stream that breaks off does not look complete to its client (R7.9). */
@Slow
@Timeout(60)
class BrokenStreamsTest {

  private static final String LAST_CHUNK = "\r\n0\r\n\r\n";
  private static final String WORKING =
      "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\"}}\n\n";

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** Also in the middle of an event. */
  @ParameterizedTest
  @ValueSource(strings = {"", "data: {\"result\":", "data: {}", "data: {}\n", ": a comm"})
  void endsWithAJsonRpcErrorAndWithoutTheLastChunk(String rest) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.brokenEvents(WORKING + rest));

      String answer = received(called(peer), request("message/stream", "'id':'of mine',"));

      assertThat(answer).contains(WORKING).doesNotEndWith(LAST_CHUNK);
      JsonNode last = lastEvent(answer);
      assertThat(last.path("jsonrpc").asString()).isEqualTo("2.0");
      assertThat(last.path("id").asString()).isEqualTo("of mine");
      assertThat(last.at("/error/code").asInt()).isEqualTo(-32603);
      assertThat(last.at("/error/message").asString())
          .startsWith("the stream ended before it was complete: StreamBroken by ")
          .contains("it may have been delivered");
      assertThat(last.at("/error/data/code").asString()).isEqualTo("AGENT_TIMEOUT");
      assertThat(last.at("/error/data/status").asInt()).isEqualTo(504);
      assertThat(last.at("/error/data/busy").asBoolean()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "null", "\"7\"", "1.0"})
  void namesTheIdOfTheRequest(String id) throws IOException {
    for (String method :
        List.of("message/stream", "SendStreamingMessage", "tasks/resubscribe", "SubscribeToTask")) {
      try (TestPeer peer = TestPeer.start()) {
        peer.then(PeerBehavior.brokenEvents(WORKING));

        String answer = received(called(peer), request(method, "'id':" + id + ","));

        assertThat(lastEvent(answer).path("id").toString()).isEqualTo(id);
      }
    }
  }

  @Test
  void onlyCutsTheStreamOfARequestWithoutAnId() throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.brokenEvents(WORKING));

      String answer = received(called(peer), request("message/stream", ""));

      assertThat(answer).contains(WORKING).doesNotContain("error").doesNotEndWith(LAST_CHUNK);
    }
  }

  @Test
  void isAFailureToAnHttpClient() throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.brokenEvents(WORKING));
      Agent agent = called(peer);

      assertThatThrownBy(() ->
              new ProxyClient(SERVER)
                  .send(agent, ADMIN_TOKEN, request("message/stream", "'id':1,")))
          .hasRootCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void cutsAStreamThatIsOutOfTime() throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.eventsInTwo(WORKING, never, WORKING));

      String answer = received(called(peer), request("message/stream", "'id':1,"), "X-Timeout: 5");
      never.countDown();

      assertThat(answer).contains(WORKING).doesNotEndWith(LAST_CHUNK);
      assertThat(lastEvent(answer).at("/error/data/code").asString()).isEqualTo("AGENT_TIMEOUT");
    }
  }

  @Test
  void endsACompleteStreamWithTheLastChunk() throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.events("{\"id\":1,\"result\":1}"));

      String answer = received(called(peer), request("message/stream", "'id':1,"));

      assertThat(answer).endsWith(LAST_CHUNK).doesNotContain("error");
    }
  }

  private static String received(Agent agent, String body, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.add("Authorization: Bearer " + ADMIN_TOKEN);
    return RawHttp.received(SERVER.port(), "POST " + ProxyClient.path(agent.id()), all, body);
  }

  private static String request(String method, String id) {
    return ("{'jsonrpc':'2.0',"
            + id
            + "'method':'"
            + method
            + "','params':{'id':'t',"
            + "'message':{'messageId':'m','role':'user','parts':[{'kind':'text','text':'hi'}]}}}")
        .replace('\'', '"');
  }

  private static JsonNode lastEvent(String answer) {
    int start = answer.lastIndexOf("data: {\"jsonrpc\"") + "data: ".length();
    return JsonMapper.shared().readTree(answer.substring(start, answer.indexOf('\n', start)));
  }

  private static Agent called(TestPeer peer) {
    return new PushAgents(SERVER).at(peer.url());
  }
}
