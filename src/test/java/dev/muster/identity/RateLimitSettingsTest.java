package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The settings of the rate limits, with good and bad values (sections 11 and 12). */
@Slow
@ExtendWith(OutputCaptureExtension.class)
class RateLimitSettingsTest {

  @Test
  void areOffWithZero() {
    try (TestServer server =
        TestServer.start("RATE_LIMIT=0", "RATE_LIMIT_HEARTBEAT=1", "RATE_LIMIT_POLL=0")) {
      TestClient client = server.client();
      Agent agent = client.create("Unlimited");

      Answer read = client.get("/workspaces/" + agent.id(), agent.token());
      assertThat(read.headers().firstValue("X-RateLimit-Limit")).isEmpty();
      for (int i = 0; i < 150; i++) {
        assertRefused(client.get("/workspaces", null), 401, "UNAUTHENTICATED");
      }
      assertThat(client.heartbeat(agent).status()).isEqualTo(200);
      assertRefused(client.heartbeat(agent), 429, "RATE_LIMITED");
    }
  }

  @Test
  void fallBackToTheirDefaultsWithAWarningThatNamesThem(CapturedOutput output) {
    try (TestServer server =
        TestServer.start("RATE_LIMIT=-1", "RATE_LIMIT_HEARTBEAT=many", "RATE_LIMIT_POLL=1.5")) {
      TestClient client = server.client();
      Agent agent = client.create("Defaults");

      Answer heartbeat = client.heartbeat(agent);
      Answer state = client.get("/workspaces/" + agent.id() + "/state", agent.token());
      Answer read = client.get("/workspaces/" + agent.id(), agent.token());
      for (Answer answer : new Answer[] {heartbeat, state, read}) {
        assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("600");
      }
    }
    for (String name :
        new String[] {"RATE_LIMIT=-1", "RATE_LIMIT_HEARTBEAT=", "RATE_LIMIT_POLL="}) {
      assertThat(output.getAll().lines())
          .anySatisfy(line -> assertThat(line).contains("WARN").contains(name));
    }
  }
}
