package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.client.A2aResult.Malformed;
import dev.muster.protocol.client.A2aResult.Streamed;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A response that is not HTTP is a malformed answer; the request is sent once, and the connection
 * is closed.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class MalformedHttpTest {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";
  private static final String EVENTS =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

  private final A2aClient client = A2aClient.builder().pause(_ -> {}).build();
  private final TestPeer peer;

  MalformedHttpTest() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    peer.close();
  }

  static Stream<String> responses() {
    return Stream.of(
        OK + "Content-Length: -5\r\n\r\n{\"a\":1}",
        OK + "Content-Length: -9223372036854775808\r\n\r\n{\"a\":1}",
        OK + "Content-Length: 99999999999999999999\r\n\r\n{\"a\":1}",
        OK + "Content-Length: seven\r\n\r\n{\"a\":1}",
        OK + "Content-Length: +7\r\n\r\n{\"a\":1}",
        OK + "Content-Length: 7\r\nContent-Length: 8\r\n\r\n{\"a\":1}",
        "HTTP/1.1 500 Oh\r\nContent-Length: -1\r\n\r\n{}",
        "HTTP/1.1 204 No\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
        "HTTP/1.1 -12 Odd\r\n\r\n{\"a\":1}",
        CHUNKED + "-5\r\n{\"a\":1}\r\n0\r\n\r\n",
        CHUNKED + "xyz\r\n{\"a\":1}\r\n0\r\n\r\n",
        CHUNKED + "fffffffffffffffff\r\n{\"a\":1}",
        CHUNKED + "8000000000000000\r\n{\"a\":1}",
        CHUNKED + "7 oops\r\n{\"a\":1}\r\n0\r\n\r\n");
  }

  /** The peer keeps the connection open: the client must close it. */
  private static PeerBehavior saying(String response) {
    return exchange -> {
      exchange.receive();
      exchange.send(response);
      return true;
    };
  }

  @ParameterizedTest
  @MethodSource("responses")
  void isMalformedAndSentOnce(String response) {
    peer.then(saying(response));

    A2aResult result = client.send(Requests.to(peer.url()));

    assertThat(result).isInstanceOf(Malformed.class);
    assertThat(result.attempts()).isEqualTo(1);
    assertThat(result.mayBeDelivered()).isTrue();
    assertThat(A2aErrors.text(result)).startsWith("MalformedAnswer: ").doesNotContain("Exception");
    assertThat(peer.deliveries()).hasSize(1);
    Awaitility.await().until(() -> peer.openConnections() == 0);
  }

  @Test
  void isABrokenStreamAfterItsBeginning() {
    peer.then(saying(EVENTS + "9\r\ndata: 1\n\n\r\nxyz\r\n"));

    A2aResult result =
        client.send(
            Requests.to(peer.url()),
            new StreamSink() {
              @Override
              public void begin(int status, String contentType, Map<String, String> headers) {}

              @Override
              public void write(byte[] bytes) {}
            });

    assertThat(result)
        .isInstanceOfSatisfying(
            Streamed.class,
            stream -> {
              assertThat(stream.brokenBy()).isEqualTo(FailureKind.READ_ERROR);
              assertThat(stream.lastData()).isPresent();
            });
    Awaitility.await().until(() -> peer.openConnections() == 0);
  }
}
