package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ConsoleSession;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A notification with {@code reply_to} answers the message of a person (R7.11). */
@Slow
@Timeout(60)
class NotifiedAnswersTest {

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback");
  private static final TestServer OTHER = TestServer.startOn(DATABASE);
  private static final TestClient CLIENT = ONE.client();
  private static final String OPERATOR =
      CLIENT
          .post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"Hands\",\"role\":\"operator\"}")
          .field("auth_token");

  private static final String ANSWER =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"message\",\"role\":\"agent\",\"messageId\":\"r\","
          + "\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}";

  private Agent polling;

  enum Person {
    ADMIN,
    OPERATOR,
    SESSION
  }

  @AfterAll
  static void stop() {
    OTHER.close();
    ONE.close();
  }

  @BeforeEach
  void create() {
    polling = CLIENT.create("Polling");
  }

  @ParameterizedTest
  @EnumSource
  void endsTheWaitOfAPersonOnAnotherReplica(Person person) throws Exception {
    CompletableFuture<Answer> waiting =
        CompletableFuture.supplyAsync(
            () -> ask(OTHER.client(), person, polling, "?wait=60"), Thread::startVirtualThread);
    awaitRow();

    notify(
        polling,
        "{\"message\":\"On"
            + " Friday.\",\"reply_to\":\"m-1\",\"attachments\":[{\"uri\":\"u\",\"name\":\"n\"}]}");

    Answer answer = waiting.get(40, TimeUnit.SECONDS);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().path("id").asInt()).isEqualTo(1);
    JsonNode result = answer.json().path("result");
    assertThat(result.path("kind").asString()).isEqualTo("message");
    assertThat(result.path("role").asString()).isEqualTo("agent");
    assertThat(result.path("messageId").asString()).isNotEmpty();
    assertThat(result.path("parts").toString())
        .isEqualTo(
            "[{\"kind\":\"text\",\"text\":\"On"
                + " Friday.\"},{\"kind\":\"file\",\"file\":{\"uri\":\"u\",\"name\":\"n\"}}]");
    assertThat(ask(CLIENT, person, polling, "?wait=1").json().path("result")).isEqualTo(result);
  }

  @Test
  void answersInTheVersionOfThePerson() {
    String message =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":"
            + "{\"messageId\":\"m-1\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"please\"}]}}}";
    CLIENT.post(ProxyClient.path(polling.id()), ADMIN_TOKEN, message, "A2A-Version", "1.0");
    notify(polling, "{\"message\":\"On Friday.\",\"reply_to\":\"m-1\"}");

    Answer answer =
        CLIENT.post(
            ProxyClient.path(polling.id()) + "?wait=1", ADMIN_TOKEN, message, "A2A-Version", "1.0");

    assertThat(answer.json().at("/result/message/role").asString()).isEqualTo("ROLE_AGENT");
    assertThat(answer.json().at("/result/message/parts").toString())
        .isEqualTo("[{\"text\":\"On Friday.\"}]");
  }

  /** The notification has a row of its own, which a chat shows. */
  @Test
  void showsTheAnswerOnItsOwnRowAlone() {
    ask(CLIENT, Person.ADMIN, polling, "");

    notify(polling, "{\"message\":\"On Friday.\",\"reply_to\":\"m-1\"}");
    notify(polling, "{\"message\":\"Or later.\",\"reply_to\":\"m-1\"}");

    assertThat(rowOf(polling, "status || (duration_ms >= 0)")).isEqualTo("oktrue");
    assertThat(rowOf(polling, "coalesce(response_body::text, 'none')")).isEqualTo("none");
    JsonNode chat = CLIENT.get("/workspaces/" + polling.id() + "/chat-history", ADMIN_TOKEN).json();
    assertThat(chat.path("messages").findValuesAsString("content"))
        .containsExactly("please", "On Friday.", "Or later.");
    assertThat(ask(CLIENT, Person.ADMIN, polling, "?wait=1").text()).contains("On Friday.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"message\":\"hm\"}",
        "{\"message\":\"hm\",\"reply_to\":\"\"}",
        "{\"message\":\"hm\",\"reply_to\":\"m-2\"}"
      })
  void changesNothingIfItNamesNoMessageOfAPerson(String notification) {
    Agent lead = CLIENT.create("Lead");
    Agent child = CLIENT.create("Child", "\"parent_id\":\"" + lead.id() + "\"");
    ask(CLIENT, Person.ADMIN, child, "");
    new ProxyClient(ONE).send(child, lead.token(), ProxyClient.message("m-2", "from a peer"));

    notify(child, notification);

    assertThat(
            DATABASE.value(
                "SELECT count(*) FROM delivery_outcomes WHERE workspace_id = '" + child.id() + "'"))
        .isEqualTo("0");
  }

  /** Such a notification tells of its progress: the agent's answer to the call is still to come. */
  @Test
  void leavesAMessageThatAPushAgentWorksOn() throws Exception {
    CompletableFuture<Boolean> notified = new CompletableFuture<>();
    try (TestPeer peer = TestPeer.start()) {
      peer.then(exchange -> {
        exchange.receive();
        notified.join();
        exchange.answer(200, Map.of("Content-Type", "application/json"), ANSWER.getBytes(UTF_8));
        return true;
      });
      Agent called =
          CLIENT.createOnline(
              "Called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      CompletableFuture<Answer> sent =
          CompletableFuture.supplyAsync(
              () -> ask(CLIENT, Person.ADMIN, called, ""), Thread::startVirtualThread);
      peer.awaitDeliveries(1);

      notify(called, "{\"message\":\"I am at it.\",\"reply_to\":\"m-1\"}");
      notified.complete(true);

      assertThat(sent.get(40, TimeUnit.SECONDS).text()).contains("\"done\"");
      assertThat(rowOf(called, "response_body->'result' IS NOT NULL")).isEqualTo("t");
    }
  }

  private static Answer ask(TestClient client, Person person, Agent agent, String query) {
    String path = ProxyClient.path(agent.id()) + query;
    String body = ProxyClient.message("m-1", "please");
    return switch (person) {
      case ADMIN -> client.post(path, ADMIN_TOKEN, body);
      case OPERATOR -> client.post(path, OPERATOR, body);
      case SESSION ->
          client.post(path, null, body, ConsoleSession.signIn(client, OPERATOR).headers());
    };
  }

  private static void notify(Agent agent, String body) {
    Answer answer = CLIENT.post("/workspaces/" + agent.id() + "/notify", agent.token(), body);
    assertThat(answer.text()).isEqualTo("{\"status\":\"sent\"}");
  }

  private void awaitRow() {
    Awaitility.await().until(() -> new ProxyClient(ONE).rows(polling) == 1);
  }

  private static String rowOf(Agent agent, String expression) {
    return StoredRows.first(DATABASE, agent.id(), expression);
  }
}
