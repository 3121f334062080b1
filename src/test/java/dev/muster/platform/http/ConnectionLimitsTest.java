package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bounds on connections, and on the time until their request is complete. */
@Slow
@Timeout(60)
class ConnectionLimitsTest {

  private static final int MAX = 32;
  private static final int MAX_OF_ONE_NETWORK = MAX / 8 * 7;
  private static final String BEGUN = "GET / HTTP/1.1\r\nHost: x\r\n";

  private final List<Socket> sockets = new ArrayList<>();
  private final Server server = new Server();
  private ServerConnector connector = new ServerConnector(server, 1, 1);

  @BeforeEach
  void start() throws Exception {
    connector = new PacedConnector(connector, MAX, new SimpleMeterRegistry().counter("pauses"));
    server.setConnectors(new Connector[] {connector});
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            response.setStatus(204);
            callback.succeeded();
            return true;
          }
        });
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.stop();
  }

  @Test
  void closesTheLongestIdleConnectionsBeforeItRefusesOthers() throws IOException {
    for (int i = 0; i < 5 * MAX; i++) {
      assertThat(isServed(connect("127.0.0.1"))).isTrue();
    }
    assertThat(isServed(sockets.getLast())).isTrue();
    assertThat(isServed(sockets.getFirst())).isFalse();
    assertThat(connector.getConnectedEndPoints()).hasSizeLessThanOrEqualTo(MAX_OF_ONE_NETWORK);
  }

  @Test
  void refusesANetworkWithItsShareOfRequestsAndServesOthers() throws IOException {
    for (int i = 0; i < MAX_OF_ONE_NETWORK; i++) {
      write(connect("127.0.0.1"), BEGUN);
      int open = i + 1;
      // an accepted connection without a request is idle, and may be closed for the next one
      await()
          .pollInterval(Duration.ofMillis(5)) // the first headers must end within 10 s
          .until(() -> connector.getConnectedEndPoints().size() == open && noneIsIdle());
    }

    assertThat(isServed(connect("127.0.0.1"))).isFalse();
    assertThat(isServed(connect("127.0.0.2"))).isTrue();

    sockets.getFirst().close();
    await().until(() -> isServed(connect("127.0.0.1")));
  }

  @Test
  void closesAConnectionWhoseHeadersDoNotEnd() throws IOException {
    Socket slow = connect("127.0.0.1");
    write(slow, BEGUN);

    await()
        .between(Duration.ofSeconds(5), Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(300))
        .until(() -> {
          try {
            write(slow, "X-Header: 1\r\n");
            return false;
          } catch (SocketException closed) {
            return true;
          }
        });
  }

  private boolean noneIsIdle() {
    return connector.getConnectedEndPoints().stream()
        .noneMatch(endPoint -> ((PacedEndPoint) endPoint).isIdle());
  }

  private Socket connect(String from) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort()));
    socket.setSoTimeout(10_000);
    sockets.add(socket);
    return socket;
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static boolean isServed(Socket socket) {
    try {
      write(socket, BEGUN + "\r\n");
      byte[] answer = socket.getInputStream().readNBytes(12);
      if (answer.length < 12) {
        return false;
      }
      assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 204");
      while (socket.getInputStream().available() > 0) {
        socket.getInputStream().skip(socket.getInputStream().available());
      }
      return true;
    } catch (IOException hungUp) {
      return false;
    }
  }
}
