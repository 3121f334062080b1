package dev.muster.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.settings.TestSettings;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Old events are deleted, and the numbers of new ones continue. */
@Slow
@Tag("sql")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of EventRetentionTest")
class EventRetentionTest {

  private static final String OLD_EVENTS =
      """
      INSERT INTO events (id, event_type, payload, created_at)
      SELECT gen_random_uuid(), 'WORKSPACE_ONLINE', '{}', clock_timestamp() - interval '30 days' - interval '1 minute'
      FROM generate_series(1, 2300)
      """;

  @Test
  void keepsEventsYoungerThanADayWhateverTheSetting() {
    try (TestServer server = TestServer.start()) {
      server.client().create("new");
      server.bean(EventPublisher.class).publishAll();
      server
          .database()
          .execute("UPDATE events SET created_at = clock_timestamp() - interval '23 hours'");

      for (String days :
          List.of("-1", "0", "1", "20781", "2147483647", "2147483648", "99999999999", "never")) {
        EventRetention retention =
            new EventRetention(
                server.bean(JdbcClient.class),
                TestSettings.read(EventRetention.Settings.class, "EVENT_RETENTION_DAYS=" + days),
                new SimpleMeterRegistry());
        assertThat(retention.sweep()).as(days).isZero();
      }
    }
  }

  /**
   * Settings cannot ask for less than a day; without the bound of the deletion all events would go.
   */
  @Test
  void keepsEventsYoungerThanADayWhateverTheBound() {
    try (TestServer server = TestServer.start()) {
      EventRetention retention = server.bean(EventRetention.class);
      server.database().execute(OLD_EVENTS);
      server.bean(EventPublisher.class).publishAll();
      server
          .database()
          .execute(
              """
              UPDATE events SET created_at = clock_timestamp()
                  - CASE WHEN seq <= 10 THEN interval '25 hours' ELSE interval '23 hours' END
              """);

      assertThat(retention.deleteBatch(Duration.ZERO, 1000, 0)).isEqualTo(10);
      assertThat(retention.deleteBatch(Duration.ZERO, 1000, 0)).isZero();
    }
  }

  @Test
  void deletesEventsOlderThanTheSetting() {
    try (TestServer server = TestServer.start()) {
      TestClient client = server.client();
      EventRetention retention = server.bean(EventRetention.class);
      server.database().execute(OLD_EVENTS);
      server.bean(EventPublisher.class).publishAll();
      server
          .database()
          .execute(
              """
              UPDATE events SET created_at = clock_timestamp() - interval '30 days' + interval '1 minute'
              WHERE seq = 2300
              """);
      TestClient.Agent agent = client.create("new");
      client.events(agent.id(), "WORKSPACE_AWAITING_AGENT");

      assertThat(retention.sweep()).isEqualTo(2299);
      assertThat(retention.sweep()).isZero();

      assertThat(server.database().value("SELECT min(seq) FROM events")).isEqualTo("2300");
      assertThat(server.database().value("SELECT count(*) FROM events")).isEqualTo("2");
      client.create("newer");
      assertThat(
              client
                  .get("/events?after=2301", TestServer.ADMIN_TOKEN)
                  .json()
                  .path(0)
                  .path("seq")
                  .asInt())
          .isEqualTo(2302);
    }
  }
}
