package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The access cache never permits a pair that the hierarchy forbids now (R2.1, R3.4). */
@Slow
class AccessDuringDeliveryTest {

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer HERE = TestServer.startOn(DATABASE);
  private static final TestServer ELSEWHERE = TestServer.startOn(DATABASE);
  private static final TestClient CLIENT = HERE.client();

  private final Agent lead = CLIENT.create("Lead");
  private final Agent writer = CLIENT.create("Writer", below(lead));
  private final Agent reader = CLIENT.create("Reader", below(lead));
  private final Agent help = CLIENT.create("Help", below(reader));

  @AfterAll
  static void close() {
    HERE.close();
    ELSEWHERE.close();
  }

  private static String below(Agent parent) {
    return "\"parent_id\":\"" + parent.id() + "\"";
  }

  @Test
  void refusesAtOnceWhatAMoveOnAnotherReplicaForbids() {
    for (TestServer mover : List.of(HERE, ELSEWHERE)) {
      for (int round = 0; round < 20; round++) {
        assertSends(writer, reader);

        move(mover, reader, "null");
        assertMayNotSend(writer, reader);

        move(mover, reader, "\"" + lead.id() + "\"");
        assertSends(writer, reader);
      }
    }
  }

  @Test
  void refusesAPairAtOnceWhenTheirCommonAncestorMoved() {
    assertSends(lead, help);

    move(ELSEWHERE, reader, "null");

    assertMayNotSend(lead, help);
    assertSends(reader, help);
  }

  @Test
  void forgetsARemovedWorkspace() {
    assertSends(writer, reader);

    ELSEWHERE.client().delete("/workspaces/" + reader.id() + "?confirm=true", ADMIN_TOKEN);

    assertRefused(send(writer, reader), 410, "WORKSPACE_REMOVED");
  }

  /** Otherwise each change of a name or card would clear the cache of all pairs. */
  @Test
  void clearsTheCacheOnlyForMovesAndRemovals() {
    String before = version();

    CLIENT.create("Newcomer", below(lead));
    CLIENT.patch("/workspaces/" + reader.id(), ADMIN_TOKEN, "{\"name\":\"Other\"}");
    move(HERE, reader, "\"" + lead.id() + "\"");
    assertThat(version()).isEqualTo(before);

    move(HERE, reader, "null");
    CLIENT.delete("/workspaces/" + reader.id() + "?confirm=true", ADMIN_TOKEN);
    assertThat(Long.parseLong(version())).isEqualTo(Long.parseLong(before) + 2);
  }

  private static String version() {
    return DATABASE.value("SELECT version FROM workspace_tree");
  }

  private static void move(TestServer by, Agent agent, String parent) {
    assertThat(
            by.client()
                .patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"parent_id\":" + parent + "}")
                .status())
        .isEqualTo(200);
  }

  private static TestClient.Answer send(Agent from, Agent to) {
    return CLIENT.post(
        ProxyClient.path(to.id()),
        from.token(),
        ProxyClient.message(UUID.randomUUID().toString(), "hi"));
  }

  private static void assertSends(Agent from, Agent to) {
    assertThat(send(from, to).status()).isEqualTo(200);
  }

  private static void assertMayNotSend(Agent from, Agent to) {
    assertRefused(send(from, to), 403, "FORBIDDEN");
  }
}
