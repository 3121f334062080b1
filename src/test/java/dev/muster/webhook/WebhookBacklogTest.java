package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.event.EventLog;
import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;

/** More new events than the webhook reads in one transaction. */
@Slow
class WebhookBacklogTest {

  private static final int EVENTS = 5_500;

  /** Otherwise a receiver would learn of troubles a run of the loop later for each 5,000 events. */
  @Test
  void saysWhetherThereIsMoreToRead() {
    try (TestServer server = TestServer.start()) {
      EventLog events = server.bean(EventLog.class);
      WebhookCollector collector = server.bean(WebhookCollector.class);
      collector.begin();
      long before = events.head();
      record(server);
      await().until(() -> events.head() >= before + EVENTS);

      assertThat(collector.collect()).isTrue();
      assertThat(collector.collect()).isFalse();

      record(server);
      await().until(() -> events.head() >= before + 2 * EVENTS);
      server.database().execute("DELETE FROM events");
      assertThat(collector.collect()).as("there is more, but it is deleted").isFalse();
    }
  }

  private static void record(TestServer server) {
    server
        .database()
        .execute(
            """
            INSERT INTO events (id, event_type, payload, created_at)
            SELECT gen_random_uuid(), 'WORKSPACE_UPDATED', '{}', now() FROM generate_series(1, %d)
            """
                .formatted(EVENTS));
  }
}
