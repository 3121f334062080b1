package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * A bad value of a tuning knob falls back to its default and never stops the start (section 12).
 */
@ExtendWith(OutputCaptureExtension.class)
class TuningSettingsTest {

  private static final List<String> BAD =
      List.of(
          "HEARTBEAT_INTERVAL_S=-5",
          "STALE_AFTER_S=three minutes",
          "DEGRADE_AT_ERROR_RATE=1.5",
          "RECOVER_BELOW_ERROR_RATE=NaN",
          "RECOVERY_GRACE_S=0",
          "LIVENESS_SWEEP_INTERVAL_S=soon",
          "MASS_OFFLINE_RATIO=half",
          "MASS_OFFLINE_HOLD_S=-1",
          "STALLED_AFTER_S=1e9",
          "FEED_MAX_ROWS=0",
          "FEED_MAX_BYTES=1 TB",
          "EVENT_RETENTION_DAYS=never",
          "STATUS_HISTORY_DAYS=a month");

  @Test
  void fallBackToTheirDefaultsWithAWarningThatNamesThem(CapturedOutput output) {
    try (TestServer server = TestServer.start(BAD.toArray(String[]::new))) {
      TestClient client = server.client();
      Agent agent = client.create("Defaults");

      Answer heartbeat = client.heartbeat(agent, "\"error_rate\":0.49");
      assertThat(heartbeat.json().path("heartbeat_interval_s").asInt()).isEqualTo(30);
      assertThat(heartbeat.json().path("stale_after_s").asInt()).isEqualTo(180);
      assertThat(heartbeat.field("workspace_status")).isEqualTo("online");
      assertThat(client.heartbeat(agent, "\"error_rate\":0.5").field("workspace_status"))
          .isEqualTo("degraded");
      assertThat(client.heartbeat(agent, "\"error_rate\":0.1").field("workspace_status"))
          .isEqualTo("degraded");
      assertThat(client.heartbeat(agent, "\"error_rate\":0.09").field("workspace_status"))
          .isEqualTo("online");
      Answer registered =
          client.post(
              "/registry/register",
              agent.token(),
              "{\"id\":\"" + agent.id() + "\",\"agent_card\":{}}");
      assertThat(registered.json().path("heartbeat_interval_s").asInt()).isEqualTo(30);
      assertThat(registered.json().path("stale_after_s").asInt()).isEqualTo(180);
    }
    for (String name :
        List.of(
            "HEARTBEAT_INTERVAL_S",
            "FEED_MAX_ROWS",
            "FEED_MAX_BYTES",
            "STALE_AFTER_S",
            "DEGRADE_AT_ERROR_RATE",
            "RECOVER_BELOW_ERROR_RATE",
            "RECOVERY_GRACE_S",
            "LIVENESS_SWEEP_INTERVAL_S",
            "MASS_OFFLINE_RATIO",
            "MASS_OFFLINE_HOLD_S",
            "EVENT_RETENTION_DAYS",
            "STATUS_HISTORY_DAYS")) {
      assertThat(output.getAll().lines())
          .anySatisfy(line -> assertThat(line).contains("WARN").contains(name));
    }
  }

  @Test
  void mayBeGivenAsProperties() {
    try (TestServer server =
        TestServer.start("muster.heartbeat.interval=4s", "muster.heartbeat.stale-after=2m")) {
      TestClient client = server.client();
      Answer heartbeat = client.heartbeat(client.create("Told"), "\"error_rate\":0");

      assertThat(heartbeat.json().path("heartbeat_interval_s").asInt()).isEqualTo(4);
      assertThat(heartbeat.json().path("stale_after_s").asInt()).isEqualTo(120);
    }
  }
}
