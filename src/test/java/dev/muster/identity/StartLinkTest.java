package dev.muster.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The link into the console that a start prints (R1.2, R1.9). */
@Slow
class StartLinkTest {

  private static final Pattern LINK =
      Pattern.compile(
          "Console: +(http://127\\.0\\.0\\.1:\\d+)/ui/signin#start=([A-Za-z0-9_-]{43}) ");

  @TempDir private Path home = Path.of("");

  @Test
  void signsAnOperatorInOnce() throws Exception {
    try (ServerProcess server = ServerProcess.start(home, Map.of())) {
      server.awaitReady();
      await().until(() -> LINK.matcher(server.output()).find());
      Matcher link = LINK.matcher(server.output());
      assertThat(link.find()).isTrue();
      assertThat(link.group(1)).isEqualTo(server.client().baseUrl());
      String body = "{\"code\":\"" + link.group(2) + "\"}";

      Answer first = server.client().post("/console/session", null, body);
      Answer second = server.client().post("/console/session", null, body);

      assertThat(first.status()).isEqualTo(201);
      assertThat(first.field("role")).isEqualTo("operator");
      assertThat(second.field("code")).isEqualTo("LINK_SPENT");
    }
  }

  @Test
  void isNotMadeWithADatabaseOfItsOwn() throws Exception {
    TestDatabase database = TestDatabases.create();
    try (ServerProcess server =
        ServerProcess.start(
            home, Map.of("DATABASE_URL", database.url(), "ADMIN_TOKEN", "a-token-of-the-admin"))) {
      server.awaitReady();

      assertThat(server.output()).doesNotContain("#start=");
    }
  }
}
