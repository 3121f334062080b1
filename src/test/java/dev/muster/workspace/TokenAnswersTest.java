package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Answers with a token are not cacheable, and are safe to paste into a shell. */
@Slow
class TokenAnswersTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void areNotCacheable() {
    UUID id = UUID.randomUUID();
    String card = "{\"id\":\"%s\",\"agent_card\":{}}".formatted(id);
    Answer registered = CLIENT.post("/registry/register", null, card);
    String token = registered.field("auth_token");

    for (Answer answer :
        List.of(
            registered,
            CLIENT.post("/registry/register", token, card),
            CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"Kept\"}"),
            CLIENT.post("/workspaces/" + id + "/tokens", token, ""),
            CLIENT.post("/admin/workspaces/" + id + "/tokens", ADMIN_TOKEN, ""))) {
      assertThat(answer.status()).as(answer.text()).isIn(200, 201);
      assertThat(answer.headers().allValues("Cache-Control")).containsExactly("no-store");
    }
  }

  /** A server that listens on a network does not know its own names. */
  @Test
  void repeatNoMalformedHost() throws Exception {
    try (TestServer open = TestServer.startOn(SERVER.database(), "SERVER_ADDRESS=0.0.0.0")) {
      for (String host :
          List.of(
              "$(touch evil)",
              "evil;touch${IFS}evil",
              "evil'|touch",
              "`touch`",
              "evil\"&touch&\"",
              "a\\b",
              "evil@evil",
              "evil:80:80",
              "[evil]",
              "evil.example/../x",
              "-oevil",
              "evil:99999",
              "{evil,touch}",
              "~evil",
              "*",
              "evil\ttouch",
              "%65vil",
              "b\u00fccher")) {
        Answer answer = create(open, host);
        if (answer.status() == 400) {
          continue; // the web server refused the host
        }
        assertThat(answer.status()).as(host).isEqualTo(201);
        String url = answer.json().at("/connection/platform_url").asString();
        assertThat(url)
            .as(host)
            .matches("http://([A-Za-z0-9._-]+|\\[[0-9a-f:]+])(:[0-9]+)?")
            .isIn("http://127.0.0.1:" + open.port(), "http://" + host);
        assertWords(answer, url);
      }
      Answer named = create(open, "muster.example:8080");
      assertThat(named.json().at("/connection/platform_url").asString())
          .isEqualTo("http://muster.example:8080");
      assertWords(named, "http://muster.example:8080");
    }
  }

  @Test
  void quoteThePublicUrl() throws Exception {
    String url = "https://public.example:8443/it's$(id)`id`\"\\;&|*";
    try (TestServer server = TestServer.startOn(SERVER.database(), "PUBLIC_URL=" + url)) {
      assertWords(create(server, "localhost"), url);
    }
  }

  private static Answer create(TestServer server, String host) {
    return RawHttp.send(
        server.port(),
        "POST /workspaces",
        List.of("Host: " + host, "Authorization: Bearer " + ADMIN_TOKEN),
        "{\"name\":\"Connected\"}".getBytes(StandardCharsets.UTF_8));
  }

  /** Asserts that a shell parses the template as one command with these words. */
  private static void assertWords(Answer created, String url)
      throws IOException, InterruptedException {
    String id = created.field("id");
    Process shell =
        new ProcessBuilder(
                "sh",
                "-c",
                "curl() { printf '%s\\n' \"$@\"; }\n"
                    + created.json().at("/connection/curl_register_template").asString())
            .redirectErrorStream(true)
            .start();
    shell.getOutputStream().close();
    String words = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(shell.waitFor()).isZero();
    assertThat(words.lines())
        .containsExactly(
            "-X",
            "POST",
            url + "/registry/register",
            "-H",
            "Authorization: Bearer " + created.field("auth_token"),
            "-d",
            "{\"id\":\"%s\",\"agent_card\":{\"name\":\"my-agent\"}}".formatted(id));
    assertThat(SERVER.client().read(new Agent(UUID.fromString(id), "")).path("name").asString())
        .isEqualTo("Connected");
  }
}
