package dev.muster.message.feed;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.send.ProxyClient;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * Every row of every feed becomes one live event, in the order of its feed (R6.10, R6.5, R10.4).
 */
@Slow
@Timeout(60)
class LiveActivityTest {

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE);
  private static final TestServer OTHER = TestServer.startOn(DATABASE);

  private static final List<String> CONVERSATION = List.of("USER_MESSAGE", "A2A_RESPONSE");
  private static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

  @AfterAll
  static void stop() {
    OTHER.close();
    ONE.close();
  }

  @Test
  void publishesARow() {
    Agent agent = ONE.client().create("logging");
    try (TestSocket canvas = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN)) {
      report(ONE.client(), agent, "\"summary\":\"thought\",\"duration_ms\":3");

      JsonNode frame = canvas.await("ACTIVITY_LOGGED");

      assertThat(frame.path("workspace_id").asString()).isEqualTo(agent.id().toString());
      assertThat(frame.has("seq")).isFalse();
      assertThat(List.copyOf(frame.path("payload").propertyNames()))
          .containsExactly(
              "id",
              "seq",
              "activity_type",
              "method",
              "summary",
              "status",
              "source_id",
              "target_id",
              "duration_ms",
              "error_detail",
              "message_id",
              "delegation_id",
              "created_at");
      assertThat(frame.path("payload").path("summary").asString()).isEqualTo("thought");
    }
  }

  /**
   * A live event has a small body, and the size of a larger one; on the replica that did not write
   * it.
   */
  @Test
  void publishesShortBodiesWithTheIdAndTimeOfTheMessage() {
    Agent agent = ONE.client().create("bodies");
    String most = "\"" + "é".repeat((ActivityLoggedRow.MAX_BODY_BYTES - 2) / 2) + "\"";
    String tooMuch = most.replaceFirst("é", "one");
    try (TestSocket canvas = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      ONE.client()
          .post(
              "/workspaces/" + agent.id() + "/a2a",
              ADMIN_TOKEN,
              TestFeed.request("m-1", "{\"kind\":\"text\",\"text\":\"a\\u0000b\"}"));
      report(ONE.client(), agent, "\"request_body\":" + most + ",\"response_body\":" + most);
      report(ONE.client(), agent, "\"request_body\":" + tooMuch + ",\"response_body\":[1]");
      report(ONE.client(), agent, "\"request_body\":[2],\"response_body\":" + tooMuch);

      JsonNode message = payload(canvas, agent, 1);
      assertThat(message.path("message_id").asString()).isEqualTo("m-1");
      assertThat(message.at("/request_body/params/message/messageId").asString()).isEqualTo("m-1");
      assertThat(message.has("response_body")).isFalse();
      JsonNode small = payload(canvas, agent, 2);
      assertThat(small.path("request_body")).hasToString(most);
      assertThat(small.path("response_body")).hasToString(most);
      assertThat(small.path("message_id").isNull()).isTrue();
      JsonNode large = payload(canvas, agent, 3);
      assertThat(large.has("request_body")).isFalse();
      assertThat(large.path("response_body")).hasToString("[1]");
      large = payload(canvas, agent, 4);
      assertThat(large.path("request_body")).hasToString("[2]");
      assertThat(large.has("response_body")).isFalse();
      JsonNode row =
          ONE.client()
              .get("/workspaces/" + agent.id() + "/activity?limit=1", ADMIN_TOKEN)
              .json()
              .path(0);
      assertThat(large.path("created_at")).isEqualTo(row.path("created_at"));
    }
  }

  private static JsonNode payload(TestSocket canvas, Agent agent, long seq) {
    return canvas
        .await(frame ->
            frame.path("event").asString().equals("ACTIVITY_LOGGED")
                && frame.path("workspace_id").asString().equals(agent.id().toString())
                && frame.path("payload").path("seq").asLong() == seq)
        .path("payload");
  }

  @Test
  void namesTheMessageThatAnAgentAnswers() {
    Agent agent = ONE.client().create("answering");
    try (TestSocket canvas = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      ONE.client()
          .post(
              "/workspaces/" + agent.id() + "/notify",
              agent.token(),
              "{\"message\":\"yes\",\"reply_to\":\"m-1\"}");

      assertThat(canvas.await("AGENT_MESSAGE").path("payload").path("message_id").asString())
          .isEqualTo("m-1");
    }
  }

  /** PostgreSQL cannot parse a document that has a NUL in it. */
  @Test
  void publishesTextThatTheDatabaseRefuses() {
    Agent agent = ONE.client().create("odd");
    try (TestSocket canvas = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN)) {
      ONE.client()
          .post(
              "/workspaces/" + agent.id() + "/notify",
              agent.token(),
              "{\"message\":\"a\\u0000b\",\"attachments\":[{\"uri\":\"u\",\"name\":\"n\"}]}");

      JsonNode payload = canvas.await("AGENT_MESSAGE").path("payload");

      assertThat(payload.path("message").asString()).isEqualTo("a\uFFFDb");
      assertThat(payload.path("attachments")).hasToString("[{\"uri\":\"u\",\"name\":\"n\"}]");
    }
  }

  @Test
  void publishesANotificationToTheCanvas() {
    Agent agent = ONE.client().create("speaking");
    try (TestSocket canvas = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      ONE.client()
          .post(
              "/workspaces/" + agent.id() + "/notify",
              agent.token(),
              """
              {"message":"done","attachments":[{"uri":"https://f.example/a","name":"a","size":1}]}
              """);

      JsonNode payload = canvas.await("AGENT_MESSAGE").path("payload");

      assertThat(payload.path("message").asString()).isEqualTo("done");
      assertThat(payload.path("workspace_id").asString()).isEqualTo(agent.id().toString());
      assertThat(payload.path("name").asString()).isEqualTo("speaking");
      assertThat(payload.path("attachments").toString())
          .isEqualTo("[{\"uri\":\"https://f.example/a\",\"name\":\"a\",\"size\":1}]");
    }
  }

  @Test
  void leavesOutAttachmentsWhenThereAreNone() {
    Agent agent = ONE.client().create("terse");
    try (TestSocket canvas = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN)) {
      ONE.client()
          .post("/workspaces/" + agent.id() + "/notify", agent.token(), "{\"message\":\"hi\"}");
      assertThat(List.copyOf(canvas.await("AGENT_MESSAGE").path("payload").propertyNames()))
          .containsExactly("message", "workspace_id", "name");
    }
  }

  @Test
  void toleratesReportsThatLookLikeNotifications() {
    Agent agent = ONE.client().create("imitating");
    try (TestSocket canvas = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN)) {
      report(
          ONE.client(),
          agent,
          "\"method\":\"notify\",\"response_body\":{\"parts\":7},\"request_body\":{\"params\":"
              + "{\"message\":{\"parts\":[{\"kind\":\"file\",\"file\":{\"uri\":\"u\"}}]}}}");
      assertThat(canvas.await("ACTIVITY_LOGGED").path("payload").path("seq").asInt()).isEqualTo(1);
      assertThat(canvas.frames())
          .noneMatch(f -> f.path("event").asString().equals("AGENT_MESSAGE"));
    }
  }

  @Test
  void publishesEachRowOnceOnEveryReplica() {
    int writers = 4;
    int rows = 60;
    List<Agent> agents = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      agents.add(ONE.client().create("writer " + i));
    }
    try (TestSocket here = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN);
        TestSocket there = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      Race.run(
          2 * writers,
          runner -> {
            TestClient client = runner % 2 == 0 ? ONE.client() : OTHER.client();
            for (int n = 0; n < rows / 2; n++) {
              report(client, agents.get(runner / 2), "");
            }
            return null;
          });
      for (TestSocket canvas : List.of(here, there)) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(15))
            .untilAsserted(() -> {
              for (Agent agent : agents) {
                assertThat(seqs(canvas, agent))
                    .containsExactlyElementsOf(LongStream.rangeClosed(1, rows).boxed().toList());
              }
            });
      }
    }
  }

  /** A row gets its time before its commit, so rows with later times may be published already. */
  @Test
  void publishesRowsWithoutANotification() throws Exception {
    Agent agent = ONE.client().create("unsignalled");
    report(ONE.client(), agent, "");
    try (TestSocket canvas = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN)) {
      DATABASE.execute(
          """
          BEGIN;
          UPDATE activity_feeds SET last_seq = 2, last_created_at = clock_timestamp() - interval '5 seconds'
          WHERE workspace_id = '%1$s';
          INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, status, listed_bytes, created_at, feed_bytes)
          VALUES ('%1$s', 2, 'L', 'agent_log', 'self', 'ok', 0, clock_timestamp() - interval '5 seconds', 0);
          COMMIT
          """
              .formatted(agent.id()));
      MachinePauses.awaitWithin(
          Duration.ofSeconds(5), () -> seqs(canvas, agent).contains(2L)); // R10.4
      assertThat(seqs(canvas, agent)).endsWith(2L).doesNotHaveDuplicates();
    }
  }

  /**
   * The message and its answer become visible at once, some seconds after their time, and no
   * notification names their feed.
   */
  @Test
  void publishesAMessageBeforeItsAnswer() throws Exception {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback");
        TestPeer peer = TestPeer.start().usually(PeerBehavior.answer(200, ANSWER));
        TestSocket canvas = TestSocket.open(server.client(), "/ws", ADMIN_TOKEN)) {
      TestClient client = server.client();
      Agent called =
          client.createOnline(
              "called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      Agent other = client.create("other");
      String message = ProxyClient.message("m-1", "hi");
      client.post("/workspaces/" + called.id() + "/a2a", ADMIN_TOKEN, message);
      for (int answers = 1; answers <= 5; answers++) {
        int expected = answers;
        Awaitility.await()
            .until(() ->
                conversation(canvas, called).stream().filter(CONVERSATION.getLast()::equals).count()
                    == expected);
        server.database().execute(again(called, answers));
        report(client, other, ""); // wakes the relay before it would look by itself
      }

      List<String> shown = conversation(canvas, called);
      for (int i = 0; i < shown.size(); i++) {
        assertThat(shown.get(i)).as(shown.toString()).isEqualTo(CONVERSATION.get(i % 2));
      }
    }
  }

  /** Returns the SQL that stores a row of a feed, which has an answer, once more. */
  private static String again(Agent agent, int seq) {
    return """
    BEGIN;
    CREATE TEMPORARY TABLE message ON COMMIT DROP AS
        SELECT * FROM activity_logs WHERE workspace_id = '%1$s' AND seq = %2$d;
    UPDATE message SET seq = seq + 1, message_id = 'm-' || seq + 1,
        message_key = sha256(('m-' || seq + 1)::bytea), created_at = clock_timestamp();
    DO $$
    DECLARE stored text;
    BEGIN
        SELECT string_agg(column_name, ',') INTO stored FROM information_schema.columns
        WHERE table_name = 'activity_logs' AND is_generated = 'NEVER';
        EXECUTE 'INSERT INTO activity_logs (' || stored || ') SELECT ' || stored || ' FROM message';
    END $$;
    UPDATE activity_feeds SET last_seq = %2$d + 1, last_created_at = clock_timestamp() WHERE workspace_id = '%1$s';
    CREATE TEMPORARY TABLE outcome ON COMMIT DROP AS
        SELECT * FROM delivery_outcomes WHERE workspace_id = '%1$s' AND seq = %2$d;
    UPDATE outcome SET seq = seq + 1, ended_at = clock_timestamp() - interval '5 seconds';
    INSERT INTO delivery_outcomes SELECT * FROM outcome;
    COMMIT
    """
        .formatted(agent.id(), seq);
  }

  private static List<String> conversation(TestSocket canvas, Agent agent) {
    return canvas.frames().stream()
        .filter(frame -> frame.path("workspace_id").asString("").equals(agent.id().toString()))
        .map(frame -> frame.path("event").asString())
        .filter(CONVERSATION::contains)
        .toList();
  }

  private static void report(TestClient client, Agent agent, String fields) {
    String more = fields.isEmpty() ? "" : "," + fields;
    int status =
        client
            .post(
                "/workspaces/" + agent.id() + "/activity",
                agent.token(),
                "{\"activity_type\":\"agent_log\"" + more + "}")
            .status();
    assertThat(status).isEqualTo(200);
  }

  private static List<Long> seqs(TestSocket canvas, Agent agent) {
    return canvas.frames().stream()
        .filter(frame -> frame.path("event").asString().equals("ACTIVITY_LOGGED"))
        .filter(frame -> frame.path("workspace_id").asString().equals(agent.id().toString()))
        .map(frame -> frame.path("payload").path("seq").asLong())
        .toList();
  }
}
