package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The log counts misspelt names once a minute, and repeats nothing of the request. */
@Slow
@Timeout(180)
class NameWarningsLogTest {

  private static final Pattern LINE =
      Pattern.compile("ignored (\\d+) unknown fields and query parameters");

  @Test
  void countsThemAllAlsoThoseBeyondThree(@TempDir Path home) throws Exception {
    try (ServerProcess server =
        ServerProcess.start(
                home,
                Map.of("DATABASE_URL", TestDatabases.create().url(), "ADMIN_TOKEN", ADMIN_TOKEN))
            .awaitReady()) {
      TestClient client = server.client();
      client.get("/workspaces?limti=1&zzqqzzqq=1", ADMIN_TOKEN);
      client.post("/workspaces", ADMIN_TOKEN, "{\"nmae\":1,\"roel\":1,\"tyer\":1,\"parnt_id\":1}");
      for (int n = 0; n < 10; n++) {
        client.post("/registry/heartbeat", ADMIN_TOKEN, "{\"wrkspace_id\":1}");
      }
      assertWaitingPollIsCountedOnce(client);
      assertThat(intervalOfTheLoop(client)).isEqualTo(60);

      server.signal("TERM");
      server.awaitEnd();

      assertThat(LINE.matcher(server.output()).results().map(MatchResult::group))
          .as(server.output())
          .hasSizeBetween(1, 3);
      assertThat(
              LINE.matcher(server.output())
                  .results()
                  .mapToInt(line -> Integer.parseInt(line.group(1)))
                  .sum())
          .isEqualTo(20);
      assertThat(server.output()).doesNotContain("limti", "parnt_id", "wrkspace_id");
    }
  }

  /** It passes the filter a second time when its wait ends. */
  private static void assertWaitingPollIsCountedOnce(TestClient client) {
    Agent agent = client.create("polls with typos");
    Answer poll =
        client.get(
            "/workspaces/"
                + agent.id()
                + "/activity?type=a2a_receive&wait=1&limti=3&odrer=asc&incldue=self&suorce=canvas&sinec_id=1",
            agent.token());
    assertThat(poll.status()).isEqualTo(200);
    assertThat(poll.headers().allValues("X-Muster-Warning")).hasSize(3);
  }

  private static int intervalOfTheLoop(TestClient client) {
    for (JsonNode loop : client.get("/admin/liveness", ADMIN_TOKEN).json().path("loops")) {
      if (loop.path("name").asString("").equals("name-warnings")) {
        return loop.path("interval_s").asInt(0);
      }
    }
    throw new AssertionError("no such loop");
  }
}
