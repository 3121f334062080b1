package dev.muster.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of poll agents complete the deliveries that they answer (R7.11). */
@Slow
@Timeout(60)
class PolledAnswersTest {

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE);
  private static final TestServer OTHER = TestServer.startOn(DATABASE);
  private static final TestClient CLIENT = ONE.client();

  private Agent asking;
  private Agent polling;

  @AfterAll
  static void stop() {
    OTHER.close();
    ONE.close();
  }

  @BeforeEach
  void create() {
    asking = CLIENT.create("Asking");
    polling = CLIENT.create("Polling", "\"parent_id\":\"" + asking.id() + "\"");
  }

  @ParameterizedTest
  @CsvSource({"?wait=20, ''", "'', 20"})
  void answersASenderThatWaitsOnAnotherReplica(String query, String timeout) throws Exception {
    CompletableFuture<Answer> waiting = askAsync(query, timeout);
    awaitRow(polling);

    reply("m-1", "r-1");

    Answer answer = waiting.get(20, TimeUnit.SECONDS);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().path("jsonrpc").asString()).isEqualTo("2.0");
    assertThat(answer.json().path("id").asInt()).isEqualTo(1);
    assertThat(answer.json().at("/result/role").asString()).isEqualTo("agent");
    assertThat(answer.json().at("/result/kind").asString()).isEqualTo("message");
    assertThat(answer.json().at("/result/messageId").asString()).isEqualTo("r-1");
    assertThat(answer.json().at("/result/parts/0/text").asString()).isEqualTo("done");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "\"two\"", "null"})
  void answersADuplicateThatWaitsWithItsOwnJsonRpcId(String id) throws Exception {
    CompletableFuture<Answer> waiting =
        CompletableFuture.supplyAsync(
            () ->
                OTHER
                    .client()
                    .post(
                        ProxyClient.path(polling.id()) + "?wait=20",
                        asking.token(),
                        ProxyClient.message("m-1", "please").replace("\"id\":1", "\"id\":" + id)),
            Thread::startVirtualThread);
    awaitRow(polling);
    CompletableFuture<Answer> second = askAsync("?wait=20", "");
    Awaitility.await().until(() -> waiting(OTHER) == 2);

    reply("m-1", "r-1");

    assertThat(waiting.get(20, TimeUnit.SECONDS).json().path("id").toString()).isEqualTo(id);
    assertThat(second.get(20, TimeUnit.SECONDS).json().path("id").toString()).isEqualTo("1");
    assertThat(ask(CLIENT, "?wait=1", "").json().path("id").toString()).isEqualTo("1");
  }

  private static double waiting(TestServer server) {
    return server.bean(MeterRegistry.class).get("muster.polls.waiting").gauge().value();
  }

  @Test
  void storesTheAnswerOnTheAnsweredRow() {
    ask(CLIENT, "", "");

    reply("m-1", "r-1");

    assertThat(rowOf(polling, "response_body->'result'->>'messageId'")).isEqualTo("r-1");
    assertThat(rowOf(polling, "status || (duration_ms >= 0)")).isEqualTo("oktrue");
    assertThat(rowOf(asking, "message_id")).isEqualTo("r-1");
  }

  @Test
  void storesTheFirstAnswerOnly() {
    ask(CLIENT, "", "");
    reply("m-1", "r-1");

    reply("m-1", "r-2");

    assertThat(rowOf(polling, "response_body->'result'->>'messageId'")).isEqualTo("r-1");
  }

  @Test
  void answersADuplicateWithTheSameRowAndAnswer() {
    Answer first = ask(CLIENT, "", "");
    reply("m-1", "r-1");

    assertThat(ask(CLIENT, "", "").text()).isEqualTo(first.text());
    assertThat(ask(OTHER.client(), "?wait=1", "").json().at("/result/messageId").asString())
        .isEqualTo("r-1");
  }

  @Test
  void answersQueuedAfterTheTimeout() {
    Answer answer = ask(CLIENT, "?wait=0.3", "");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.field("delivery_mode")).isEqualTo("poll");
  }

  @Test
  void ignoresAnAnswerOfAnotherSenderOrToAnotherWorkspace() {
    Agent third = CLIENT.create("Third", "\"parent_id\":\"" + asking.id() + "\"");
    ask(CLIENT, "", "");

    new ProxyClient(ONE).send(asking, third.token(), replyTo("m-1", "r-1"));
    new ProxyClient(ONE).send(third, polling.token(), replyTo("m-1", "r-2"));

    assertThat(rowOf(polling, "coalesce(response_body::text, 'none')")).isEqualTo("none");
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "NaN"})
  void refusesATimeoutThatIsNotANumber(String wait) {
    assertThat(ask(CLIENT, "?wait=" + wait, "").field("code")).isEqualTo("VALIDATION_FAILED");
  }

  private CompletableFuture<Answer> askAsync(String query, String timeout) {
    return CompletableFuture.supplyAsync(
        () -> ask(OTHER.client(), query, timeout), Thread::startVirtualThread);
  }

  private Answer ask(TestClient client, String query, String timeout) {
    String path = ProxyClient.path(polling.id()) + query;
    String body = ProxyClient.message("m-1", "please");
    return timeout.isEmpty()
        ? client.post(path, asking.token(), body)
        : client.post(path, asking.token(), body, "X-Timeout", timeout);
  }

  private void reply(String to, String id) {
    Answer answer = new ProxyClient(ONE).send(asking, polling.token(), replyTo(to, id));
    assertThat(answer.status()).isEqualTo(200);
  }

  private static String replyTo(String to, String id) {
    return ProxyClient.sending(
        "{'messageId':'%s','parts':[{'kind':'text','text':'done'}],'metadata':{'reply_to':'%s'}}"
            .formatted(id, to));
  }

  private static void awaitRow(Agent agent) {
    Awaitility.await().until(() -> new ProxyClient(ONE).rows(agent) == 1);
  }

  private static String rowOf(Agent agent, String expression) {
    return StoredRows.first(DATABASE, agent.id(), expression);
  }
}
