package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every answer has a request id, the client's or a generated one. */
class RequestIdsTest {

  private static final String MADE = "[0-9a-f]{16}";

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "Build_7.run-3",
        "0123456789012345678901234567890123456789012345678901234567890123"
      })
  void keepAValidIdOfTheClient(String id) {
    assertThat(CLIENT.get("/health", null, "X-Request-ID", id).header("X-Request-ID"))
        .isEqualTo(id);
    Answer refused = CLIENT.get("/workspaces", null, "X-Request-ID", id);
    assertRefused(refused, 401);
    assertThat(refused.header("X-Request-ID")).isEqualTo(id);
    assertThat(refused.field("request_id")).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "two words",
        "semi;colon",
        "\"quoted\"",
        "<b>",
        "${jndi:x}",
        "%0d%0aSet-Cookie:x",
        "ümlaut",
        "01234567890123456789012345678901234567890123456789012345678901234"
      })
  void replaceAnInvalidId(String id) {
    Answer answer = RawHttp.send(SERVER.port(), "GET /workspaces", List.of("X-Request-ID: " + id));

    assertThat(answer.headers().allValues("X-Request-ID")).hasSize(1);
    assertThat(answer.header("X-Request-ID")).matches(MADE);
    assertThat(answer.field("request_id")).isEqualTo(answer.header("X-Request-ID"));
  }

  @Test
  void areGeneratedForEachRequestWithoutOne() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      ids.add(CLIENT.get("/health", null).header("X-Request-ID"));
    }

    assertThat(ids).hasSize(50).allSatisfy(id -> assertThat(id).matches(MADE));
  }

  @Test
  void areOnEveryKindOfAnswer() {
    String heartbeat = "{\"workspace_id\":\"" + CLIENT.create("Ids").id() + "\"}";
    for (Answer answer :
        List.of(
            CLIENT.get("/metrics", null),
            CLIENT.get("/actuator/prometheus", null),
            CLIENT.post("/registry/heartbeat", ADMIN_TOKEN, heartbeat),
            CLIENT.get("/workspaces?limit=1", ADMIN_TOKEN))) {
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("X-Request-ID")).matches(MADE);
    }
    for (Answer refused :
        List.of(
            CLIENT.post("/registry/heartbeat", null, heartbeat),
            CLIENT.post("/registry/heartbeat", ADMIN_TOKEN, "{"),
            CLIENT.get("/nothing", null),
            CLIENT.send("PUT", "/workspaces", ADMIN_TOKEN, "{}"),
            CLIENT.get("/health", null, "Origin", "https://evil.example"),
            RawHttp.send(SERVER.port(), "TRACE /health", List.of()),
            // these never reach a servlet
            RawHttp.send(SERVER.port(), "GET /%zz", List.of()),
            RawHttp.send(SERVER.port(), "GET /health", List.of("X-Long: " + "x".repeat(70_000))))) {
      if (refused.status() >= 400) {
        assertRefused(refused, refused.status());
        assertThat(refused.field("request_id"))
            .as(refused.text())
            .isEqualTo(refused.header("X-Request-ID"))
            .matches(MADE);
      }
    }
  }
}
