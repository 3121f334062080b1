package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.heartbeat.LivenessSettings;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.TestSettings;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import dev.muster.webhook.WebhookSettings.Kind;
import dev.muster.workspace.agenturl.AddressClass;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of the webhook, and what it costs without them: nothing. */
class WebhookSettingsTest {

  @Test
  void areOffWithoutAUrl() {
    WebhookSettings settings = settings("WEBHOOK_SECRET=sixteen-letters.");

    assertThat(settings.url()).isEmpty();
    assertThat(settings.reports(Kind.STUCK)).isTrue();
  }

  /** One sweep finds what became silent together, and one notification tells it. */
  @Test
  void aCauseSettlesForLongerThanTheTimeBetweenTwoSweeps() {
    assertThat(NotificationWriter.SETTLE_TIME)
        .isGreaterThan(TestSettings.read(LivenessSettings.class).sweepInterval());
  }

  @Test
  void takeAUrlASecretAndKinds() {
    WebhookSettings settings =
        settings(
            "WEBHOOK_URL=https://hooks.example/services/a?b=c",
            "WEBHOOK_SECRET=sixteen-letters.",
            "WEBHOOK_KINDS=offline, recovered");

    assertThat(settings.url().orElseThrow().toString())
        .isEqualTo("https://hooks.example/services/a?b=c");
    assertThat(settings.secret()).contains("sixteen-letters.");
    assertThat(settings.reports(Kind.OFFLINE)).isTrue();
    assertThat(settings.reports(Kind.DEGRADED)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "WEBHOOK_URL=ftp://hooks.example/secret-path | does not start with http",
        "WEBHOOK_URL=https://user:password@hooks.example/ | holds credentials",
        "WEBHOOK_URL=http://169.254.169.254/secret-path | link-local",
        "WEBHOOK_URL=http://10.0.0.1/secret-path | AGENT_URL_ALLOW does not permit",
        "WEBHOOK_SECRET=fifteen-letters | expected at least 16 characters",
        "WEBHOOK_KINDS=offline,asleep | expected some of degraded, offline, stuck, recovered"
      })
  void refuseTheStartWithoutSayingTheSecret(String setting, String sentence) {
    assertThatThrownBy(() -> settings(setting))
        .hasMessageStartingWith(setting.substring(0, setting.indexOf('=')))
        .hasMessageContaining(sentence)
        .hasMessageNotContainingAny("secret-path", "password", "fifteen-letters");
  }

  @Test
  void costNoQueryWithoutAUrl() {
    TestServer server = TestServer.shared();
    String loops = server.client().get("/admin/liveness", TestServer.ADMIN_TOKEN).text();
    assertThat(loops).contains("event-publisher").doesNotContain("webhook");
    String uses =
        """
        SELECT sum(seq_scan + coalesce(idx_scan, 0) + n_tup_ins) FROM pg_stat_user_tables WHERE relname LIKE 'webhook%'
        """;
    String before = server.database().value(uses);

    Agent agent = server.client().createOnline("Failing");
    server.client().heartbeat(agent, "\"error_rate\":0.9");
    Awaitility.await()
        .until(() -> server.client().events(agent.id(), "WORKSPACE_DEGRADED").size() == 1);

    assertThat(server.database().value(uses)).isEqualTo(before);
    assertThat(server.database().value("SELECT count(*) FROM webhook_head")).isEqualTo("0");
  }

  @Test
  void pauseTwiceAsLongAfterEachFailureAndAtMostFiveMinutes() {
    assertThat(WebhookSender.pause(0, 0)).isEqualTo(Duration.ofSeconds(5));
    assertThat(WebhookSender.pause(0, 1)).isEqualTo(Duration.ofMillis(2500));
    assertThat(WebhookSender.pause(3, 0)).isEqualTo(Duration.ofSeconds(40));
    assertThat(WebhookSender.pause(1000, 0)).isEqualTo(Duration.ofMinutes(5));
  }

  /** The example that receivers verify in the documentation. */
  @Test
  void signAsTheDocumentationSays() throws Exception {
    Map<String, String> example =
        Pattern.compile("(?m)^(SECRET|SIGNATURE|BODY)='(.*)'$")
            .matcher(Files.readString(Path.of("docs/operate/webhook.md")))
            .results()
            .collect(Collectors.toMap(match -> match.group(1), match -> match.group(2)));

    assertThat(
            WebhookSender.signature(
                example.getOrDefault("SECRET", ""),
                1_795_658_054,
                example.getOrDefault("BODY", "")))
        .isEqualTo(example.getOrDefault("SIGNATURE", ""));
  }

  private static WebhookSettings settings(String... given) {
    return new WebhookSettings(
        TestSettings.read(SecuritySettings.class, given),
        AgentUrlGuard.withSystemResolver(Set.of(AddressClass.LOOPBACK)));
  }
}
