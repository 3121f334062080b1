package dev.muster.a2a;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerDeed;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Renewals of leases cost nobody else anything (R7.3, R7.14). */
@Timeout(120)
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of TurnLeasesTest")
class TurnLeasesTest {

  private static final TestServer SERVER =
      TestServer.start("AGENT_URL_ALLOW=loopback", "A2A_DELEGATE_MAX_ATTEMPTS=1");
  private static final Called CALLED = new Called(SERVER);
  private static final Mail MAIL = new Mail(SERVER);
  private static final MessageRecords RECORDS = SERVER.bean(MessageRecords.class);

  @AfterAll
  static void close() {
    SERVER.close();
  }

  private static String stored(Agent target, String message, String expression) {
    return CALLED.stored(target, message, expression);
  }

  private static void sendTo(Agent target, TestPeer silent, int messages) {
    for (int n = 0; n < messages; n++) {
      String message = Mail.message("m" + n, "hi");
      Thread.startVirtualThread(() -> MAIL.send(target, ADMIN_TOKEN, message));
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> silent.deliveries().size() == messages);
  }

  /**
   * What holds a record is ending it, with many others: to wait for each other would end in a
   * deadlock.
   */
  @Test
  void passBySuchAsAreBeingEnded() throws IOException, SQLException {
    try (TestPeer silent = TestPeer.start().usually(PeerDeed.silence());
        Connection ending = SERVER.database().connect();
        Statement statement = ending.createStatement()) {
      Agent target = CALLED.at(silent.url(), "\"max_concurrent_tasks\":100");
      sendTo(target, silent, 2);
      UUID held = UUID.fromString(stored(target, "m0", "l.id"));
      UUID free = UUID.fromString(stored(target, "m1", "l.id"));
      Map<UUID, String> owners =
          Map.of(held, stored(target, "m0", "m.owner"), free, stored(target, "m1", "m.owner"));
      ending.setAutoCommit(false);
      statement.execute("SELECT FROM a2a_messages WHERE activity_id = '" + held + "' FOR UPDATE");

      long began = System.nanoTime();
      assertThat(RECORDS.renew(owners)).containsExactly(free);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));

      ending.rollback();
      assertThat(RECORDS.renew(owners)).containsExactlyInAnyOrder(held, free);
    }
  }

  @Test
  void areWrittenInPlace() throws IOException {
    try (TestPeer silent = TestPeer.start().usually(PeerDeed.silence())) {
      Agent target = CALLED.at(silent.url(), "\"max_concurrent_tasks\":100");
      sendTo(target, silent, 1);
      UUID id = UUID.fromString(stored(target, "m0", "l.id"));
      Map<UUID, String> owner = Map.of(id, stored(target, "m0", "m.owner"));
      String page = stored(target, "m0", "(m.ctid::text::point)[0]");

      for (int i = 0; i < 5; i++) {
        assertThat(RECORDS.renew(owner)).containsExactly(id);
      }

      assertThat(stored(target, "m0", "(m.ctid::text::point)[0]")).isEqualTo(page);
      assertThat(
              SERVER
                  .database()
                  .value(
                      """
                      SELECT count(*) FROM pg_index i, unnest(i.indkey) AS k JOIN pg_attribute a ON a.attnum = k
                      WHERE i.indrelid = 'a2a_messages'::regclass AND a.attrelid = i.indrelid AND a.attname = 'lease_until'
                      """))
          .isEqualTo("0");
    }
  }

  /** Another one may have taken it over; the server that stood still must not keep it alive. */
  @Test
  void leaveAloneWhatIsSomebodyElsesNow() throws IOException {
    try (TestPeer silent = TestPeer.start().usually(PeerDeed.silence())) {
      Agent target = CALLED.at(silent.url(), "\"max_concurrent_tasks\":100");
      sendTo(target, silent, 2);
      String begun = stored(target, "m0", "m.lease_until");
      SERVER
          .database()
          .execute(
              """
              UPDATE a2a_messages SET owner = 'another', lease_until = '2100-01-01Z' WHERE activity_id = '%s'
              """
                  .formatted(stored(target, "m1", "l.id")));

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> !stored(target, "m0", "m.lease_until").equals(begun));

      assertThat(stored(target, "m1", "m.owner || ' ' || m.lease_until"))
          .startsWith("another 2100-01-01");
    }
  }
}
