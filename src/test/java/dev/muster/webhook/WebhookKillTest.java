package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Nightly;
import dev.muster.testing.PacedServer;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What happens to a notification that a server was sending when it was killed. */
@Nightly
@Timeout(180)
class WebhookKillTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @Test
  void sendsAgainUnderTheSameIdAfterAKillBetweenSendingAndMarking(@TempDir Path home)
      throws Exception {
    try (Receiver receiver = Receiver.start(TestDatabases.create())) {
      receiver.peer().usually(PeerBehavior.silence());
      Map<String, String> settings =
          ServerProcess.settings(receiver.database().url(), "WEBHOOK_URL=" + receiver.url());
      JsonNode first;
      try (ServerProcess server =
          ServerProcess.start(PacedServer.class, home, settings).awaitReady()) {
        awaitZero(receiver, "SELECT 1 - count(*) FROM webhook_head");
        Receiver.degrade(server.client(), "quota");
        receiver.awaitCollected(1);
        receiver.letAMinutePass();
        first = receiver.await(1).getFirst();
        server.kill();
      }
      receiver.peer().usually(PeerBehavior.answer(200, ""));
      receiver.letThePausePass();
      // a slow start is an uptime gap, whose end it would report as well
      try (TestServer next = receiver.startServer("WEBHOOK_KINDS=degraded")) {
        assertThat(receiver.await(2).get(1)).isEqualTo(first);
        awaitZero(receiver, "SELECT count(*) FROM webhook_notifications WHERE ended_at IS NULL");
        assertThat(next.metrics()).contains("muster_webhook_attempts_total{outcome=\"sent\"} 1.0");
      }
    }
  }

  private static void awaitZero(Receiver receiver, String sql) {
    Awaitility.await().atMost(TIMEOUT).until(() -> receiver.number(sql) == 0);
  }
}
