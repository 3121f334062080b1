package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The outcome of a direct delivery, when it ends and later (R7.3, R7.7, R10.1). */
@Slow
@Timeout(90)
class DirectDeliveryOutcomesTest {

  private static final TestServer SERVER =
      TestServer.start("AGENT_URL_ALLOW=loopback", "A2A_DELEGATE_MAX_ATTEMPTS=1");
  private static final TestServer WITHOUT_RETRIES =
      TestServer.startOn(
          SERVER.database(), "AGENT_URL_ALLOW=loopback", "A2A_RETRY_AMBIGUOUS=false");
  private static final PushAgents CALLED = new PushAgents(SERVER);
  private static final ProxyClient PROXY = new ProxyClient(SERVER);
  private static final String MESSAGE = ProxyClient.message("m", "hi");

  private TestPeer peer;
  private Agent target;

  @BeforeEach
  void start() throws IOException {
    peer = TestPeer.start();
    target = CALLED.at(peer.url());
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
  }

  @AfterAll
  static void close() {
    WITHOUT_RETRIES.close();
    SERVER.close();
  }

  /** The agent has done its work: its answer survives an outage of the database. */
  @Test
  void isStoredAfterADatabaseOutage() {
    SERVER
        .database()
        .execute(
            """
            CREATE SEQUENCE refusals;
            CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              IF NEW.workspace_id = '%s' AND nextval('refusals') = 1 THEN
                RAISE EXCEPTION 'not now' USING ERRCODE = '57P03';
              END IF;
              RETURN NEW;
            END $$;
            CREATE TRIGGER refuse_once BEFORE INSERT ON delivery_outcomes FOR EACH ROW EXECUTE FUNCTION refuse_once()
            """
                .formatted(target.id()));
    try {
      assertRefused(PROXY.send(target, ADMIN_TOKEN, MESSAGE), 503, "UNAVAILABLE");

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> !CALLED.stored(target, "m", "m.state").equals("sending"));
    } finally {
      SERVER
          .database()
          .execute(
              "DROP TRIGGER refuse_once ON delivery_outcomes; DROP FUNCTION refuse_once(); DROP"
                  + " SEQUENCE refusals");
    }
    CALLED.assertRecord(target, "m", "answered", 1, peer);
    assertThat(PROXY.send(target, ADMIN_TOKEN, MESSAGE).status()).isEqualTo(200);
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void becomesALiveEventWhenOnlyTheSecondDeliveryIsAnswered() {
    peer.then(PeerBehavior.resetAfterRequest())
        .usually(PeerBehavior.answer(200, PushAgents.ANSWER));
    try (TestSocket canvas = TestSocket.open(SERVER.client(), "/ws", ADMIN_TOKEN)) {
      assertRefused(PROXY.send(target, ADMIN_TOKEN, MESSAGE), 504, "AGENT_TIMEOUT");

      assertThat(PROXY.send(target, ADMIN_TOKEN, MESSAGE).text()).isEqualTo(PushAgents.ANSWER);

      assertThat(canvas.await("A2A_RESPONSE").at("/payload/message_id").asString()).isEqualTo("m");
    }
  }

  /** Dropping the queued message does not prove that the agent never received it. */
  @Test
  void staysUncertainWhenTheQueuedMessageIsDropped() {
    peer.then(PeerBehavior.resetAfterRequest());
    assertRefused(PROXY.send(target, ADMIN_TOKEN, MESSAGE), 504, "AGENT_TIMEOUT");
    SERVER.client().heartbeat(target, "\"active_tasks\":1");
    Answer queued = PROXY.send(target, ADMIN_TOKEN, MESSAGE);
    assertThat(queued.status()).as(queued.text()).isEqualTo(202);

    StoredRows.growOldInQueue(SERVER.database(), target.id());
    SERVER
        .client()
        .post("/admin/a2a-queue/drop-stale?workspace_id=" + target.id(), ADMIN_TOKEN, "");
    SERVER.client().heartbeat(target, "\"active_tasks\":0");

    assertRefused(
        new ProxyClient(WITHOUT_RETRIES).send(target, ADMIN_TOKEN, MESSAGE), 504, "AGENT_TIMEOUT");
    CALLED.assertRecord(target, "m", "uncertain", 1, peer);
  }
}
