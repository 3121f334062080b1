package dev.muster.runtime;

import static dev.muster.testing.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent;
import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long events and runs are kept (R6.11), and how much disk they use. */
@Slow
@Tag("sql")
class RuntimeRetentionTest {

  @Test
  void deletesEventsAfterAWeekAndRunsWithTheirLast() {
    try (TestServer server = TestServer.start()) {
      TestClient client = server.client();
      TestStream stream = TestStream.create(client, "old");
      stream.add(
          new RuntimeStart("old", "r", "l"),
          new RuntimeStdout("old", "x"),
          new RuntimeEnd("old", 0, 1));
      stream.add(new RuntimeStart("long", "r", "l"));
      String gone = stream.replay("").path(3).path("id").asString();
      age(server, "7 days 1 minute");
      stream.add(new RuntimeStdout("long", "y"));
      String kept = stream.replay("?limit=5").path(4).path("id").asString();

      RuntimeRetention retention = server.bean(RuntimeRetention.class);
      assertThat(retention.sweep()).isEqualTo(3);
      assertThat(retention.sweep()).isZero();

      assertThat(stream.replay("").findValuesAsString("id")).containsExactly(kept);
      assertThat(stream.run().path("task_name").asString()).isEqualTo("long");
      assertThat(stream.run().path("stdout").asString()).isEqualTo("y");
      assertThat(server.database().value("SELECT count(*) FROM runtime_output")).isEqualTo("1");
      assertRefused(
          client.get(stream.path("/runtime-events?since_id=" + gone), stream.agent().token()),
          410,
          "CURSOR_GONE");
      stream.add(new RuntimeEnd("long", 0, 1));
      assertThat(stream.replay("?since_id=" + kept).size()).isEqualTo(1);
      age(server, "6 days 23 hours");
      assertThat(retention.sweep()).isZero();
    }
  }

  @Test
  void isDeletedWithItsWorkspace() {
    try (TestServer server = TestServer.start()) {
      TestStream stream = TestStream.create(server.client(), "gone");
      stream.add(new RuntimeStart("t", "r", "l"), new RuntimeStdout("t", "x"));
      UUID id = UUID.fromString(server.database().value("SELECT id FROM workspaces"));
      server.database().execute("DELETE FROM workspace_tokens; DELETE FROM workspaces");
      server.bean(StreamHeads.class).deleted(List.of(id));
      for (String table :
          new String[] {"runtime_heads", "runtime_runs", "runtime_segments", "runtime_output"}) {
        assertThat(server.database().value("SELECT count(*) FROM " + table)).isEqualTo("0");
      }
    }
  }

  /** The disk space of one chunk of 80 bytes, with all indexes, when many are stored together. */
  @Test
  void usesLessDiskThanItsChunksWhenTheyArriveTogether() {
    try (TestServer server = TestServer.start()) {
      TestStream stream = TestStream.create(server.client(), "chatty");
      stream.add(new RuntimeStart("chatty", "r", "l"));
      RuntimeEvent[] batch = new RuntimeEvent[100];
      for (int i = 0; i < 10_000; i += batch.length) {
        for (int n = 0; n < batch.length; n++) {
          String line =
              "line " + (i + n) + " of the build, took " + (i * 37 + n * 11) % 997 + " ms;";
          batch[n] = new RuntimeStdout("chatty", line + " ".repeat(79 - line.length()) + "\n");
        }
        stream.add(batch);
      }
      stream.add(new RuntimeEnd("chatty", 0, 1));

      long bytes =
          Long.parseLong(
              server
                  .database()
                  .value(
                      """
                      SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(ARRAY[
                          'runtime_heads', 'runtime_runs', 'runtime_segments', 'runtime_output']) AS name
                      """));
      assertThat(bytes / 10_000).as("%d bytes", bytes).isLessThan(80);
    }
  }

  private static void age(TestServer server, String time) {
    server
        .database()
        .execute(
            """
            UPDATE runtime_segments SET created_at = created_at - interval '%1$s';
            UPDATE runtime_runs SET started_at = started_at - interval '%1$s',
                last_event_at = last_event_at - interval '%1$s'
            """
                .formatted(time));
  }
}
