package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.HttpError;
import dev.muster.protocol.client.A2aResult.Malformed;
import dev.muster.protocol.client.A2aResult.RpcError;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestPeer.Delivery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What counts as an answer, and which part of it is forwarded (R7.6, R7.10). */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class AnswerTest {

  private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
  private static final int MIB = 1024 * 1024;

  private final A2aClient client = A2aClient.builder().pause(_ -> {}).build();
  private final TestPeer peer;

  AnswerTest() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    peer.close();
  }

  @Test
  void sendsTheRequestUnchanged() {
    A2aRequest request =
        new A2aRequest(
            Requests.TARGET,
            peer.url() + "?key=1",
            Requests.body(),
            Map.of("X-Workspace-ID", "abc", "Authorization", "Bearer t"),
            Duration.ofSeconds(5),
            Deadline.in(Duration.ofSeconds(90)));
    assertThat(client.send(request)).isInstanceOf(Answer.class);
    Delivery got = peer.deliveries().getFirst();
    assertThat(got.requestLine()).isEqualTo("POST /a2a?key=1 HTTP/1.1");
    assertThat(got.body()).isEqualTo(Requests.body());
    assertThat(got.header("content-type")).isEqualTo("application/json");
    assertThat(got.header("content-length")).isEqualTo("" + Requests.body().length);
    assertThat(got.header("accept-encoding")).isEqualTo("identity");
    assertThat(got.header("user-agent")).isEqualTo("muster");
    assertThat(got.header("x-workspace-id")).isEqualTo("abc");
    assertThat(got.header("authorization")).isEqualTo("Bearer t");
    assertThat(Integer.parseInt(got.header("x-timeout"))).isBetween(60, 90);
    assertThat(request.toString()).doesNotContain("Bearer", "127.0.0.1");
  }

  @Test
  void reusesAConnection() {
    for (int i = 0; i < 5; i++) {
      assertThat(client.send(Requests.to(peer.url()))).isInstanceOf(Answer.class);
    }
    assertThat(peer.connections()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "  {\"result\" : 1e400,\r\n \"error\":null }\n",
        "\uFEFF{\"result\":{}}",
        "{\"result\":{\"error\":{\"code\":1,\"message\":\"inner\"}}}",
        "[{\"error\":1}]",
        "\"ok\"",
        "42",
        "null",
        "{\"result\":\"\\ud800\\u0000\"}"
      })
  void returnsAnyJsonByteForByte(String json) {
    peer.then(PeerBehavior.answer(201, JSON, json));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(
            Answer.class,
            answer -> {
              assertThat(answer.status()).isEqualTo(201);
              assertThat(answer.contentType()).isEqualTo("application/json");
              assertThat(answer.body()).isEqualTo(json.getBytes(StandardCharsets.UTF_8));
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "<html>", "{}{}", "{\"a\":1", "{'a':1}", "nul", "{\"error\":{}", "{} x"})
  void doesNotRetryAnswersThatAreNotJson(String body) {
    peer.then(PeerBehavior.answer(200, JSON, body));
    A2aResult result = client.send(Requests.to(peer.url()));
    assertMalformed(result, body.isEmpty() ? "there is no body" : "the body is not JSON");
    assertThat(A2aErrors.text(result)).startsWith("MalformedAnswer: the");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void acceptsOnlyUtf8() {
    byte[] latin = "{\"text\":\"grüß\"}".getBytes(StandardCharsets.ISO_8859_1);
    byte[] overlong = {'"', (byte) 0xC0, (byte) 0xAF, '"'};
    byte[] surrogate = {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'};
    byte[] wide = "{\"text\":1}".getBytes(StandardCharsets.UTF_16);
    for (byte[] body : new byte[][] {latin, overlong, surrogate, wide}) {
      peer.then(PeerBehavior.answer(200, JSON, body));
      assertMalformed(client.send(Requests.to(peer.url())), "the body is not JSON");
    }
  }

  @Test
  void refusesAnAnswerWithoutABody() {
    peer.then(PeerBehavior.sendAndClose("HTTP/1.1 204 No Content\r\n\r\n"));
    assertMalformed(client.send(Requests.to(peer.url())), "there is no body");
  }

  @Test
  void acceptsAnAnswerOf64MibAndNoLargerOne() {
    byte[] body = new byte[64 * MIB];
    Arrays.fill(body, (byte) 'a');
    body[0] = '"';
    body[body.length - 1] = '"';
    peer.then(PeerBehavior.answer(200, JSON, body));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(
            Answer.class, answer -> assertThat(Arrays.equals(answer.body(), body)).isTrue());

    byte[] larger = Arrays.copyOf(body, body.length + 1);
    peer.then(PeerBehavior.answer(200, JSON, larger));
    assertMalformed(client.send(Requests.to(peer.url())), "the body is larger than 64 MiB");

    peer.then(exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\n\r\n");
      exchange.send(larger);
      return false;
    });
    assertMalformed(client.send(Requests.to(peer.url())), "the body is larger than 64 MiB");
    assertThat(peer.deliveries()).hasSize(3);
  }

  private static void assertMalformed(A2aResult result, String reason) {
    assertThat(result)
        .isInstanceOfSatisfying(
            Malformed.class, malformed -> assertThat(malformed.reason()).isEqualTo(reason));
    assertThat(result.attempts()).isEqualTo(1);
    assertThat(result.deliveries()).isEqualTo(1);
  }

  @Test
  void returnsTheUsefulPartOfAnError() {
    String text = "é".repeat(5_000);
    String error = "{\"message\":\"m\",\"error\":\"" + text + "\",\"pad\":\"" + "x".repeat(100_000);
    peer.then(PeerBehavior.answer(500, JSON, error));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(
            HttpError.class,
            answer -> {
              assertThat(answer.text()).isEqualTo("é".repeat(4_096));
              assertThat(answer.body())
                  .isEqualTo(Arrays.copyOf(error.getBytes(StandardCharsets.UTF_8), 64 * 1024));
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":\"why\"}",
        "{\"detail\":\"d\",\"message\":\"m\",\"error\":{\"code\":1,\"message\":\"why\"}}",
        "{\"error\":{},\"detail\":\"d\",\"message\":\"why\"}",
        "{\"title\":\"t\",\"detail\":\"why\",\"error\":null}"
      })
  void findsTheReasonOfAnErrorInEachPlace(String body) {
    peer.then(PeerBehavior.answer(400, JSON, body));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(HttpError.class, e -> assertThat(e.text()).isEqualTo("why"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "<html>502</html> | <html>502</html>",
        "Service; ; is down ; | Service is down",
        "[] | []",
        "{'error':7} | {'error':7}",
        "{'detail':[{'loc':['body'],'msg':'Field required'}]}"
            + " | {'detail':[{'loc':['body'],'msg':'Field required'}]}",
      })
  void quotesAnErrorWithoutAKnownReasonOnOneLine(String body, String text) {
    peer.then(PeerBehavior.answer(422, JSON, body.replace(';', '\n').replace('\'', '"')));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(
            HttpError.class, e -> assertThat(e.text()).isEqualTo(text.replace('\'', '"')));
  }

  @Test
  void quotesTheBeginningOfALongError() {
    peer.then(PeerBehavior.answer(500, JSON, "é".repeat(301)));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(
            HttpError.class, e -> assertThat(e.text()).isEqualTo("é".repeat(300)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "120 | PT2M",
        "Wed, 21 Oct 2026 07:28:30 GMT | PT30S",
        "Wed, 21 Oct 2026 07:27:00 GMT | PT0S",
        "soon | ",
        "-1 | ",
      })
  void readsWhenThePeerWantsToBeCalledAgain(String said, @Nullable Duration wait) {
    peer.then(
        PeerBehavior.answer(
            503, Map.of("Retry-After", said, "Date", "Wed, 21 Oct 2026 07:28:00 GMT"), "{}"));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(
            HttpError.class, e -> assertThat(e.retryAfter()).isEqualTo(Optional.ofNullable(wait)));
  }

  @Test
  void hasNoReasonWithoutABody() {
    peer.then(PeerBehavior.answer(502, JSON, " "));
    A2aResult result = client.send(Requests.to(peer.url()));
    assertThat(A2aErrors.text(result)).startsWith("HttpError 502 (no message) [target=agent-7]");
  }

  @Test
  void takesTheLastEventOfAStreamThatWasNotAskedFor() {
    peer.then(PeerBehavior.events("{\"result\":1}", "{\"result\":{\"n\":2}}"));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(
            Answer.class,
            answer -> assertThat(answer.body()).asString().isEqualTo("{\"result\":{\"n\":2}}"));

    peer.then(PeerBehavior.events("{}", "{\"error\":{\"code\":-32001,\"message\":\"gone\"}}"));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(RpcError.class, e -> assertThat(e.message()).isEqualTo("gone"));
  }

  @Test
  void refusesAStreamWithoutAnEvent() {
    String large = "\"" + "x".repeat(MIB) + "\"";
    for (String[] events : new String[][] {{}, {"{}", large}}) {
      peer.then(PeerBehavior.events(events));
      assertMalformed(
          client.send(Requests.to(peer.url())),
          "the stream has no event, or its last one exceeds 1 MiB");
    }
  }

  /** After 2 s, or half of the time that is left. */
  @ParameterizedTest
  @ValueSource(ints = {3, 600})
  void returnsTheStatusOfAnErrorWhoseBodyNeverEnds(int seconds) {
    peer.then(exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 503 Busy\r\nContent-Length: 900\r\n\r\n{\"error\":\"busy\",");
      exchange.awaitRelease();
      return false;
    });
    A2aResult result = client.send(Requests.within(Duration.ofSeconds(seconds), peer.url()));
    assertThat(result)
        .isInstanceOfSatisfying(
            HttpError.class,
            error -> {
              assertThat(error.status()).isEqualTo(503);
              assertThat(error.text()).isEqualTo("busy");
            });
  }

  @Test
  void reportsAProtocolSwitchAsAnError() {
    peer.then(
        PeerBehavior.sendAndClose(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhi"));
    assertThat(client.send(Requests.to(peer.url())))
        .isInstanceOfSatisfying(HttpError.class, e -> assertThat(e.status()).isEqualTo(101));
  }
}
