package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator retries the delivery of a delegation (R8.9). */
@Slow
@Timeout(120)
class OperatorRetryTest {

  private static final Delegations LEDGER = new Delegations(TestServer.shared());
  private static final Duration TIMEOUT = Duration.ofSeconds(40);
  private static final String DONE =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"parts\":[{\"text\":\"Done.\"}]}}";

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private TestPeer peer;

  @BeforeEach
  void start() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
  }

  private static Answer retry(String id) {
    return LEDGER.client().post("/admin/delegations/" + id + "/retry", ADMIN_TOKEN, "");
  }

  /** A push agent that never sent a heartbeat. */
  private Agent away() {
    return LEDGER
        .client()
        .create(
            "Away",
            "\"parent_id\":\"" + team.id() + "\"",
            "\"delivery_mode\":\"push\"",
            "\"max_concurrent_tasks\":8",
            "\"url\":\"" + peer.url() + "\"");
  }

  private String dispatched(Agent callee) {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  /** Evaluates an expression on all rows of the target, in their order. */
  private static String queue(Agent target, String expression) {
    return StoredRows.queue(LEDGER.server().database(), target.id(), expression);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dispatched", "stuck"})
  void replacesTheMessageThatWaits(String status) {
    Agent callee = away();
    String id = dispatched(callee);
    LEDGER.set(id, "status = '" + status + "', last_heartbeat = now()");

    Answer answer = retry(id);

    assertThat(answer.text()).isEqualTo("{\"delegation_id\":\"" + id + "\",\"status\":\"queued\"}");
    assertThat(queue(callee, "q.state")).matches("dropped( .*)?");
    LEDGER.await(caller, id, "dispatched");
    assertThat(LEDGER.row(id, "attempt || ' ' || retry_count || ' ' || (last_heartbeat IS NULL)"))
        .isEqualTo("2 1 true");
    assertThat(queue(callee, "l.message_id || '=' || q.state"))
        .isEqualTo(id + "=dropped " + id + "~1=waiting");
    assertThat(LEDGER.inbox(caller).size()).as("ends in its caller's inbox").isZero();
    peer.usually(PeerBehavior.answer(200, DONE));
    LEDGER.client().heartbeat(callee);

    assertThat(LEDGER.await(caller, id, "completed").path("result").asString()).isEqualTo("Done.");
    assertThat(peer.deliveries()).hasSize(1);
    assertThat(peer.deliveries().getFirst().text()).contains("\"messageId\":\"" + id + "~1\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dispatched", "stuck"})
  void isRefusedWhileTheMessageIsBeingSent(String status) {
    CountDownLatch answers = new CountDownLatch(1);
    peer.usually(answerAfter(answers));
    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");
    peer.awaitDeliveries(1);
    LEDGER.set(id, "status = '" + status + "'");

    Answer answer = retry(id);

    assertThat(answer.status()).as(answer.text()).isEqualTo(409);
    assertThat(answer.field("code")).isEqualTo("DELIVERING");
    assertThat(answer.field("delegation_id")).isEqualTo(id);
    assertThat(LEDGER.row(id, "status || ' ' || attempt || ' ' || retry_count"))
        .isEqualTo(status + " 1 0");
    answers.countDown();
    LEDGER.await(caller, id, "completed");
    assertThat(peer.deliveries()).hasSize(1);
    Answer late = retry(id);
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.field("code")).isEqualTo("INVALID_TRANSITION");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"reply_to\":\"ID\"", "\"reply_to\":\"ID~1\"", "\"delegation_id\":\"ID\""})
  void endsByTheFirstReplyOfAPollAgent(String metadata) {
    Agent callee = LEDGER.polling(team);
    String id = dispatched(callee);

    assertThat(retry(id).status()).isEqualTo(200);

    LEDGER.await(caller, id, "dispatched");
    assertThat(LEDGER.inbox(callee).findValuesAsString("message_id")).contains(id, id + "~1");
    LEDGER.send(callee, caller, "r-1", "First.", "{" + metadata.replace("ID", id) + "}");
    LEDGER.send(callee, caller, "r-2", "Second.", "{\"reply_to\":\"" + id + "~1\"}");
    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("First.");
    assertThat(LEDGER.events(caller, id).stream().filter("DELEGATION_COMPLETE"::equals)).hasSize(1);
  }

  /** Deliveries begin while operators retry: a replaced message is never sent. */
  @Test
  void neverSendsAMessageThatItReplaced() throws Exception {
    peer.usually(PeerBehavior.answer(200, DONE));
    Agent callee = away();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      ids.add(dispatched(callee));
    }
    LEDGER.client().heartbeat(callee);

    List<Answer> answers = Race.run(ids.size(), i -> retry(ids.get(i)));

    LEDGER.client().heartbeat(callee);
    ids.forEach(id -> LEDGER.await(caller, id, "completed"));
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(
            () -> queue(callee, "q.state"),
            states -> !states.contains("waiting") && !states.contains("delivering"));
    for (int i = 0; i < ids.size(); i++) {
      String id = ids.get(i);
      int status = answers.get(i).status();
      assertThat(status).as(answers.get(i).text()).isIn(200, 409, 503);
      String sent =
          "\"messageId\":\""
              + id
              + switch (status) {
                case 200 -> "~1\"";
                case 409 -> "\"";
                default -> ""; // the server could not tell (R0.6)
              };
      assertThat(
              peer.deliveries().stream()
                  .map(one -> one.text())
                  .filter(text -> text.contains("\"" + id)))
          .as("deliveries of %s, retried with %s", id, status)
          .hasSize(1)
          .allMatch(text -> text.contains(sent));
    }
  }

  private static PeerBehavior answerAfter(CountDownLatch latch) {
    return exchange -> {
      exchange.receive();
      try {
        latch.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
      exchange.answer(
          200, Map.of("Content-Type", "application/json"), DONE.getBytes(StandardCharsets.UTF_8));
      return true;
    };
  }
}
