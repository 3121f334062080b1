package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server on loopback refuses the host names of other sites (R0.11). */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of AllowedHostsTest")
class AllowedHostsTest {

  private static final TestServer SERVER =
      TestServer.start(
          "REGISTRATION=open",
          "PUBLIC_URL=https://public.example:8443/muster",
          "ALLOWED_HOSTS=muster.example:9, [fd00::1], my_container");

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static Answer get(String path, String host) {
    return RawHttp.send(SERVER.port(), "GET " + path, List.of("Host: " + host));
  }

  private static Answer register(String host, UUID id) {
    byte[] body =
        "{\"id\":\"%s\",\"agent_card\":{}}".formatted(id).getBytes(StandardCharsets.UTF_8);
    return RawHttp.send(SERVER.port(), "POST /registry/register", List.of("Host: " + host), body);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LocalHost:8080",
        "localhost.",
        "muster.localhost:1",
        "127.0.0.1",
        "127.200.3.4:65535",
        "[::1]",
        "[0:0:0:0:0:0:0:1]:8080",
        "[::ffff:127.0.0.1]",
        "host.docker.internal:8080",
        "Host.Containers.Internal",
        "public.example",
        "PUBLIC.example.:1",
        "muster.example",
        "muster.example:8080",
        "[fd00:0::1]:8080",
        "my_container"
      })
  void isAcceptedWhenItIsOneOfTheServers(String host) {
    assertThat(get("/health", host).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "notlocalhost",
        "public.example.evil.example",
        "sub.muster.example",
        "10.0.0.1",
        "0.0.0.0",
        "[::]",
        "[fd00::2]",
        "[fe80::1]",
        "1.0.0.127",
        "..."
      })
  void isRefusedWhenItIsAnotherSites(String host) {
    UUID id = UUID.randomUUID();

    for (Answer answer :
        List.of(
            get("/health", host),
            get("/metrics", host),
            get("/v3/api-docs", host),
            get("/ws", host),
            get("/nothing", host),
            register(host, id),
            RawHttp.send(
                SERVER.port(),
                "POST /registry/heartbeat",
                List.of("Host: " + host, "Authorization: Bearer " + ADMIN_TOKEN),
                "{".getBytes(StandardCharsets.UTF_8)))) {
      assertRefused(answer, 421, "HOST_NOT_ALLOWED");
      assertThat(answer.field("detail")).contains("ALLOWED_HOSTS");
      assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
      assertThat(answer.field("request_id")).isEqualTo(answer.header("X-Request-ID")).isNotEmpty();
    }
    assertThat(SERVER.client().get("/workspaces/" + id, ADMIN_TOKEN).status()).isEqualTo(404);
  }

  /** A malformed host is refused by the web server or by the filter. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost:8080:8080",
        "evil@localhost",
        "localhost/evil",
        "[::1",
        "$(id)",
        "%31"
      })
  void isRefusedWhenItIsMalformed(String host) {
    Answer answer = get("/health", host);

    assertThat(answer.status()).isIn(400, 421);
    assertRefused(answer, answer.status());
  }

  @Test
  void mayBeMissing() {
    assertThat(RawHttp.send(SERVER.port(), "GET /health HTTP/1.0", List.of()).status())
        .isEqualTo(200);
  }

  @Test
  void isNotCheckedWhenTheServerListensBeyondLoopback() {
    try (TestServer open = TestServer.startOn(SERVER.database(), "SERVER_ADDRESS=0.0.0.0")) {
      for (String host : List.of("evil.example", "10.0.0.1:8080", "localhost")) {
        assertThat(RawHttp.send(open.port(), "GET /health", List.of("Host: " + host)).status())
            .isEqualTo(200);
      }
    }
  }
}
