package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The maximum size of a body (R0.7), and the refusal of a larger one (R0.2). */
@Slow
class BodyLimitsTest {

  private static final int KIB = 1024;
  private static final int TEN_MB = 10_000_000;

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final Agent AGENT = CLIENT.create("Large");

  @ParameterizedTest
  @CsvSource({
    "POST /workspaces, 256",
    "PATCH /workspaces/{id}, 256",
    "POST /registry/register, 256",
    "POST /registry/update-card, 256",
    "POST /registry/check-access, 256",
    "POST /registry/heartbeat, 64"
  })
  void namesTheLimitToASenderOfTenMegabytes(String route, int kib) {
    byte[] body = filled(TEN_MB);

    Answer declared = RawHttp.send(SERVER.port(), at(route), admin(), body);
    Answer chunked = RawHttp.sendChunked(SERVER.port(), at(route), admin(), body);

    assertRefused(declared, 413, "BODY_TOO_LARGE");
    assertThat(declared.json().path("max_bytes").asInt()).isEqualTo(kib * KIB);
    assertRefused(chunked, 413, "BODY_TOO_LARGE");
    assertThat(chunked.json().path("max_bytes").asInt()).isEqualTo(kib * KIB);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /workspaces/{id}/pause",
        "POST /workspaces/{id}/resume",
        "POST /workspaces/{id}/restart",
        "POST /workspaces/{id}/tokens",
        "POST /admin/workspaces/{id}/tokens"
      })
  void namesTheLimitAlsoOnRoutesWithoutABody(String route) {
    Answer answer = RawHttp.send(SERVER.port(), at(route), admin(), filled(300 * KIB));

    assertRefused(answer, 413, "BODY_TOO_LARGE");
    assertThat(answer.json().path("max_bytes").asInt()).isEqualTo(256 * KIB);
  }

  @ParameterizedTest
  @CsvSource({
    "PATCH /workspaces/{id}, 256",
    "POST /registry/check-access, 256",
    "POST /registry/heartbeat, 64"
  })
  void acceptsABodyOfTheMaximumSizeAndRefusesOneByteMore(String route, int kib) {
    byte[] whole = filled(kib * KIB);
    byte[] tooLarge = filled(kib * KIB + 1);

    assertThat(RawHttp.send(SERVER.port(), at(route), admin(), whole).status()).isEqualTo(200);
    assertThat(RawHttp.sendChunked(SERVER.port(), at(route), admin(), whole).status())
        .isEqualTo(200);
    assertRefused(RawHttp.send(SERVER.port(), at(route), admin(), tooLarge), 413, "BODY_TOO_LARGE");
    assertRefused(
        RawHttp.sendChunked(SERVER.port(), at(route), admin(), tooLarge), 413, "BODY_TOO_LARGE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST /workspaces", "POST /registry/heartbeat"})
  void checksTheCredentialBeforeTheSize(String route) {
    Answer answer = RawHttp.send(SERVER.port(), at(route), List.of(), filled(300 * KIB));

    assertRefused(answer, 401, "UNAUTHENTICATED");
  }

  /** The server decodes no body, and a compressed one is no malformed text. */
  @ParameterizedTest
  @CsvSource({
    "POST /workspaces, gzip",
    "PATCH /workspaces/{id}, 'identity, GZIP'",
    "POST /registry/register, br",
    "POST /registry/heartbeat, gzip",
    "POST /workspaces/{id}/activity, deflate",
    "POST /workspaces/{id}/a2a, gzip",
    "POST /workspaces/{id}/runtime-events, zstd",
    "POST /admin/bulk, x-gzip"
  })
  void refusesAnEncodedBody(String route, String encoding) throws IOException {
    String before = CLIENT.read(AGENT).toString();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(body)) {
      gzip.write(filled(KIB));
    }
    List<String> headers = new ArrayList<>(admin());
    headers.add("Content-Encoding: " + encoding);

    for (Answer answer :
        List.of(
            RawHttp.send(SERVER.port(), at(route), headers, body.toByteArray()),
            RawHttp.send(SERVER.port(), at(route), headers, filled(TEN_MB)),
            RawHttp.sendChunked(SERVER.port(), at(route), headers, body.toByteArray()))) {
      assertRefused(answer, 415, "UNSUPPORTED_ENCODING");
      assertThat(answer.field("error")).startsWith("Content-Encoding: ").contains("(expected: ");
    }
    assertThat(CLIENT.read(AGENT)).hasToString(before);
  }

  @Test
  void acceptsABodyThatIsNotEncoded() {
    for (String encoding : List.of("identity", "Identity, identity", "")) {
      List<String> headers = new ArrayList<>(admin());
      headers.add("Content-Encoding: " + encoding);
      String route = at("PATCH /workspaces/{id}");

      assertThat(RawHttp.send(SERVER.port(), route, headers, filled(KIB)).status()).isEqualTo(200);
    }
  }

  @Test
  void changesNothingWithABodyThatIsTooLarge() {
    String before = CLIENT.read(AGENT).toString();
    byte[] body = filled(TEN_MB);
    byte[] name = "{\"name\":\"Larger\"".getBytes(StandardCharsets.UTF_8);
    System.arraycopy(name, 0, body, 0, name.length);

    RawHttp.send(SERVER.port(), at("PATCH /workspaces/{id}"), admin(), body);

    assertThat(CLIENT.read(AGENT)).hasToString(before);
  }

  @Test
  void refusesABodyThatEndsBeforeItsLength() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.port())) {
      socket.setSoTimeout(10_000);
      String request =
          "POST /workspaces HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + ADMIN_TOKEN
              + "\r\nContent-Length: 100\r\n\r\n{\"name\":";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 400 ").contains("BAD_REQUEST");
    }
  }

  private static String at(String route) {
    return route.replace("{id}", AGENT.id().toString());
  }

  private static List<String> admin() {
    return List.of("Authorization: Bearer " + ADMIN_TOKEN, "Content-Type: application/json");
  }

  /** An object that every route accepts, with spaces before its end. */
  private static byte[] filled(int length) {
    String ids =
        "{\"workspace_id\":\"%1$s\",\"caller_id\":\"%1$s\",\"target_id\":\"%1$s\",\"x\":1"
            .formatted(AGENT.id());
    byte[] body = new byte[length];
    Arrays.fill(body, (byte) ' ');
    System.arraycopy(ids.getBytes(StandardCharsets.UTF_8), 0, body, 0, ids.length());
    body[length - 1] = '}';
    return body;
  }
}
