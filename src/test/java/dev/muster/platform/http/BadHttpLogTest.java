package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log counts malformed HTTP requests and repeats nothing of them. */
@Slow
@Timeout(120)
class BadHttpLogTest {

  private static final int ROUNDS = 20;
  private static final String PRIVATE = "t0ken-that-is-private";

  private static final String LONG = "x".repeat(20_000);

  /** Requests with a place for the private word and for the long one. */
  private static final List<String> BAD =
      List.of(
          "GET /ws?token=%s HTTP/1.1\r\nHost: [/ws?token=%1$s]\r\n\r\n",
          "GET http://[/ws?token=%s]/health HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET //[%s/ws?token=%1$s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET http://a:b:%s/health HTTP/1.1\r\nHost: x:%1$s\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: x:%s\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: a?%s b\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: a\r\nHost: %s\r\n\r\n",
          "GET /health?token=%s HTTP/9.9\r\nHost: x\r\n\r\n",
          "GET /health?token=%s\r\n\r\n",
          "\u0016\u0003\u0001%s\r\n\r\n",
          "G\u0001T /health?token=%s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: x\r\nBad%s\u0001Header: 1\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: x\r\n folded %s\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: %s\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\nX: %s\r\n\r\n",
          "POST /registry/register HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: %s\r\n\r\n",
          "POST /registry/register HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n",
          "POST /registry/heartbeat HTTP/1.1\r\nHost: x\r\nExpect: %s\r\n\r\n",
          "GET /%%zz%s?token=%1$s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /%%ff%%fe%s?token=%1$s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /a/%%2e%%2e/%s?token=%1$s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /a%%2f;b/..%%3b/%s?token=%1$s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /a//../../%s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /a\\b%%5c%s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /%%00%s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /ws?after=%%zz%s&token=%%ff%%fe HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /registry/discover/x?%%=%s&%%u12 HTTP/1.1\r\nHost: x\r\n\r\n",
          "POST /ws?x=%s HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: x\r\nCookie: \u0001=%s;;;=\"\r\n\r\n",
          "GET /v3/api-docs?%%zz=%s HTTP/1.1\r\nHost: x\r\nAccept-Language: %1$s;;q=x\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM%s\r\n\r\n",
          "OPTIONS * HTTP/1.1\r\nHost: x%s\r\n\r\n",
          "CONNECT %s:99999 HTTP/1.1\r\nHost: x\r\n\r\n",
          "TRACE /%s HTTP/1.1\r\nHost: x\r\nMax-Forwards: 1\r\n\r\n",
          "BREW /%s?token=%1$s HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost: x\r\nX-Large: %s%2$s\r\n\r\n",
          "GET /health?token=%s%2$s HTTP/1.1\r\nHost: x\r\n\r\n");

  @Test
  void countsThemOnceASecondAndRepeatsNothing(@TempDir Path home) throws Exception {
    try (ServerProcess server =
        ServerProcess.start(
                home,
                Map.of("DATABASE_URL", TestDatabases.create().url(), "ADMIN_TOKEN", ADMIN_TOKEN))
            .awaitReady()) {
      int port = URI.create(server.client().baseUrl()).getPort();
      server.client().get("/health", null);
      // a server is ready a moment before its last line about its start
      await().until(() -> server.output().contains("Started "));
      long before = server.output().lines().count();
      long from = System.nanoTime();
      for (int round = 0; round < ROUNDS; round++) {
        for (String request : BAD) {
          send(port, request.formatted(PRIVATE, LONG));
        }
      }
      await().until(() -> server.output().contains("refused a request that is not HTTP"));
      long seconds = (System.nanoTime() - from) / 1_000_000_000;

      assertThat(server.output()).doesNotContain(PRIVATE).doesNotContain("\tat ");
      assertThat(server.output().lines().skip(before))
          .as(server.output())
          .hasSizeLessThanOrEqualTo((int) seconds + 2);
    }
  }

  private static void send(int port, String request) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes();
    } catch (IOException hungUp) {
      // the server may hang up during the request
    }
  }
}
