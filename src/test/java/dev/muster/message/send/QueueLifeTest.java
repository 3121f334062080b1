package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** When waiting messages expire (R7.7). */
@Slow
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
class QueueLifeTest {

  private static final TestServer SERVER =
      TestServer.start("A2A_QUEUE_TTL_S=2", "AGENT_URL_ALLOW=loopback");
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private final Agent target =
      SERVER
          .client()
          .create("Awaited", "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @Test
  void endsWithTheTimeThatTheSettingGives() {
    Answer queued = PROXY.send(target, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    assertThat(life(queued)).isEqualTo(Duration.ofSeconds(2));

    Answer ended = awaitEnd(queued);

    assertThat(ended.field("state")).isEqualTo("expired");
    assertThat(Instant.parse(ended.field("ended_at")))
        .isAfterOrEqualTo(Instant.parse(ended.field("expires_at")));
    assertThat(PROXY.row(ended.field("activity_id"), "status")).isEqualTo("error");
  }

  @Test
  void isShorterButNeverLongerWhenTheSenderAsks() {
    assertThat(life(wanting(1))).isEqualTo(Duration.ofSeconds(1));
    assertThat(life(wanting(3600))).isEqualTo(Duration.ofSeconds(2));
  }

  private Answer wanting(int seconds) {
    return PROXY.send(
        target,
        ADMIN_TOKEN,
        ProxyClient.message("wants-" + seconds, "hi")
            .replace("\"params\":{", "\"params\":{\"expires_in_seconds\":" + seconds + ","));
  }

  private Duration life(Answer queued) {
    Answer shown = show(queued);
    return Duration.between(
        Instant.parse(shown.field("enqueued_at")), Instant.parse(shown.field("expires_at")));
  }

  private Answer show(Answer queued) {
    assertThat(queued.status()).as(queued.text()).isEqualTo(202);
    return SERVER
        .client()
        .get(ProxyClient.path(target.id()) + "/queue/" + queued.field("queue_id"), ADMIN_TOKEN);
  }

  private Answer awaitEnd(Answer queued) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> show(queued), answer -> !answer.json().path("ended_at").isNull());
  }
}
