package dev.muster.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.event.EventLog;
import dev.muster.platform.http.Owner;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many streams of one workspace that read what they missed leave those of others their turns. */
@Slow
@Timeout(120)
class ResumeSharesTest {

  private static final int STREAMS = 12;
  private static final int SHARE = 2;

  /** Only reads of the past of one workspace have it. */
  private static final String PAST_OF_A_WORKSPACE = "AND workspace_id = $";

  @Test
  void leaveThoseOfOthersTheirTurns() throws Exception {
    TestDatabase database = TestDatabases.create();
    try (TestServer before = TestServer.startOn(database)) {
      Agent greedy = before.client().createOnline("Greedy");
      Agent modest = before.client().createOnline("Modest");
      String published = "SELECT count(*) FROM events WHERE seq IS NULL";
      await().until(() -> database.value(published).equals("0"));
      List<TestEventStream> streams = new ArrayList<>();
      try (TestServer server = TestServer.startOn(database);
          Connection other = database.connect();
          Statement statement = other.createStatement()) {
        other.setAutoCommit(false);
        statement.execute("LOCK TABLE events IN ACCESS EXCLUSIVE MODE");
        for (int n = 0; n < STREAMS; n++) {
          streams.add(resume(server, greedy));
        }
        // none of the other streams gets past the share
        await()
            .during(Duration.ofMillis(300))
            .until(() -> database.lockWaits(PAST_OF_A_WORKSPACE) == SHARE);

        streams.add(resume(server, modest));

        await().until(() -> database.lockWaits(PAST_OF_A_WORKSPACE) == SHARE + 1);
        // as for the webhook
        CompletableFuture<EventLog.Past> own =
            CompletableFuture.supplyAsync(
                () -> server.bean(EventLog.class).pastOf(Owner.SERVER, greedy.id(), 0),
                Thread::startVirtualThread);
        await().until(() -> database.lockWaits(PAST_OF_A_WORKSPACE) == SHARE + 2);
        other.rollback();
        assertThat(own.get().events()).isNotEmpty();
        for (TestEventStream stream : streams) {
          stream.await("WORKSPACE_ONLINE");
        }
      } finally {
        for (TestEventStream stream : streams) {
          stream.close();
        }
      }
    }
  }

  private static TestEventStream resume(TestServer server, Agent agent) {
    String path = "/workspaces/" + agent.id() + "/events/stream";
    TestEventStream stream =
        TestEventStream.open(server.client(), path, agent.token(), "Last-Event-ID", "0");
    assertThat(stream.status()).isEqualTo(200);
    return stream;
  }
}
