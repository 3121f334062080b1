package dev.muster.event;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.testing.FastPace;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An event that cannot be published or read does not keep the later ones. */
@Slow
@Timeout(120)
class UnreadableEventTest {

  /** A listener that cannot process some events. */
  static final class Listener implements RecordedEventListener {

    private final List<Long> followed = new CopyOnWriteArrayList<>();

    @Override
    public void follow(List<RecordedEvent> events) {
      if (events.stream().anyMatch(event -> event.payload().text().length() > 2000)) {
        throw new IllegalStateException("an event that is too long");
      }
      events.forEach(event -> followed.add(event.seq()));
    }
  }

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer SERVER =
      TestServer.startWith(
          DATABASE,
          List.of(FastPace.class, Listener.class),
          "WEBHOOK_URL=http://127.0.0.1:9/hook",
          "AGENT_URL_ALLOW=loopback");

  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** Records an event with a number that is too long for a reader of JSON. */
  private static String record(String type, UUID workspaceId) {
    UUID id = UUID.randomUUID();
    DATABASE.execute(
        """
        INSERT INTO events (id, event_type, workspace_id, payload, created_at)
        VALUES ('%s', '%s', '%s', ('{"status":"offline","n":' || repeat('1', 2000) || '}')::json, now())
        """
            .formatted(id, type, workspaceId));
    await().until(() -> !seq(id).equals("null"));
    return "event " + seq(id) + " ";
  }

  private static String seq(UUID id) {
    return DATABASE.value("SELECT seq FROM events WHERE id = '" + id + "'");
  }

  @Test
  void doesNotKeepTheOthersFromTheirReaders() throws Exception {
    Agent agent = CLIENT.createOnline("Poisoned");
    Agent later = CLIENT.createOnline("Later");
    try (TestEventStream stream =
            TestEventStream.open(
                CLIENT, "/workspaces/" + later.id() + "/events/stream", ADMIN_TOKEN);
        TestSocket ofConsole = TestSocket.open(CLIENT, "/ws?view=console", ADMIN_TOKEN);
        Poison ofPublisher = Poison.of(SERVER, "event-publisher");
        Poison ofHistory = Poison.of(SERVER, "status-history");
        Poison ofWebhook = Poison.of(SERVER, "webhook")) {
      String offline = record("WORKSPACE_OFFLINE", agent.id());
      String delegated = record("DELEGATION_STATUS", agent.id());

      CLIENT.heartbeat(later, "\"error_rate\":0.9");

      stream.await("WORKSPACE_DEGRADED");
      ofConsole.await(
          batch -> batch.path("events").findValuesAsString("e").contains("WORKSPACE_DEGRADED"));
      await()
          .until(() ->
              DATABASE
                  .value(
                      "SELECT count(*) FROM webhook_troubles WHERE workspace_id = '"
                          + later.id()
                          + "'")
                  .equals("1"));
      await()
          .until(() ->
              DATABASE
                  .value(
                      "SELECT max(status) FROM open_status_periods WHERE workspace_id = '"
                          + later.id()
                          + "'")
                  .equals("degraded"));

      assertThat(ofPublisher.lines("Listener with " + offline)).hasSize(1);
      assertThat(ofPublisher.counted()).isEqualTo(2);
      assertThat(SERVER.bean(Listener.class).followed)
          .contains(SERVER.bean(EventLog.class).head())
          .isSorted();
      assertThat(ofHistory.lines("status-history: " + offline)).hasSize(1);
      assertThat(ofHistory.counted()).isEqualTo(1);
      assertThat(ofWebhook.lines("webhook: " + delegated)).hasSize(1);
      assertThat(ofWebhook.counted()).isEqualTo(1);
    }
  }

  @Test
  void isStampedLaterThanTheOthersWhenItCannotBeStamped() {
    UUID poisoned = UUID.randomUUID();
    try (Poison poison =
        Poison.check(
            SERVER, "event-publisher", "events", "seq IS NULL OR id <> '" + poisoned + "'")) {
      DATABASE.execute(
          """
          INSERT INTO events (id, event_type, payload, created_at)
          SELECT CASE n WHEN 2 THEN '%s'::uuid ELSE gen_random_uuid() END, 'WORKSPACE_UPDATED', '{}', now()
          FROM generate_series(1, 5) AS n
          """
              .formatted(poisoned));
      CLIENT.create("Published");

      // not by a request for events, which publishes as well
      await()
          .until(() -> DATABASE.value("SELECT count(*) FROM events WHERE seq IS NULL").equals("1"));

      assertThat(seq(poisoned)).isEqualTo("null");
      String ordinal = DATABASE.value("SELECT ordinal FROM events WHERE id = '" + poisoned + "'");
      assertThat(poison.lines("event-publisher: " + ordinal + " ")).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
    await().until(() -> !seq(poisoned).equals("null"));
  }

  /** The trouble of one workspace cannot be stored, or its cause not be reported. */
  @Test
  void doesNotKeepTheWebhookFromOtherTroubles() {
    Agent poisoned = CLIENT.createOnline("Poisoned");
    Agent other = CLIENT.createOnline("Other");
    try (Poison poison =
        Poison.check(SERVER, "webhook", "webhook_troubles", "subject <> '" + poisoned.id() + "'")) {
      CLIENT.heartbeat(poisoned, "\"error_rate\":0.9");
      CLIENT.heartbeat(other, "\"error_rate\":0.9");

      await()
          .until(() ->
              DATABASE
                  .value(
                      "SELECT count(*) FROM webhook_troubles WHERE subject = '" + other.id() + "'")
                  .equals("1"));
      assertThat(poison.lines(poisoned.id().toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }

  @Test
  void doesNotKeepTheHistoryFromOtherWorkspaces() {
    Agent poisoned = CLIENT.createOnline("Poisoned");
    Agent other = CLIENT.createOnline("Other");
    String status = "SELECT max(status) FROM open_status_periods WHERE workspace_id = '%s'";
    await().until(() -> DATABASE.value(status.formatted(poisoned.id())).equals("online"));
    try (Poison poison =
        Poison.check(
            SERVER,
            "status-history",
            "open_status_periods",
            "workspace_id <> '" + poisoned.id() + "'")) {
      CLIENT.heartbeat(poisoned, "\"error_rate\":0.9");
      CLIENT.heartbeat(other, "\"error_rate\":0.9");

      await().until(() -> DATABASE.value(status.formatted(other.id())).equals("degraded"));
      assertThat(poison.lines("event ")).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }
}
