package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slow or only announced bodies, and the memory that they leave to others (R0.7). */
@Slow
@Timeout(120)
class ArrivingBodiesTest {

  private static final int MAX_BYTES = 16 << 20;
  private static final int MAX_OF_ONE_OWNER = 256;

  private static final TestServer SERVER =
      TestServer.start("REGISTRATION=open", "AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();
  private static final BodyBudget BUDGET = SERVER.bean(BodyBudget.class);

  private final List<Socket> sockets = new ArrayList<>();

  @AfterEach
  void hangUp() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    await().until(() -> BUDGET.held() == 0);
  }

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @Test
  void takeNoMemoryForAnnouncedBytes() throws IOException {
    Agent greedy = CLIENT.create("greedy");
    Agent victim = CLIENT.create("victim");
    for (int i = 0; i < 64; i++) {
      begin(greedy, MAX_BYTES);
    }
    await().until(() -> BUDGET.held() > 0);

    assertThat(CLIENT.heartbeatOnce(victim).status()).isEqualTo(200);
    assertThat(CLIENT.heartbeatOnce(greedy).status()).isEqualTo(200);
    assertThat(BUDGET.held()).isLessThan(1 << 20);
  }

  @Test
  void areRefusedBeyondTheShareOfTheirOwner() throws IOException {
    Agent greedy = CLIENT.create("greedy");
    Agent victim = CLIENT.create("victim");
    for (int i = 0; i < MAX_OF_ONE_OWNER; i++) {
      begin(greedy, MAX_BYTES);
    }
    await().until(() -> BUDGET.arriving() == MAX_OF_ONE_OWNER);

    assertThat(answerTo(begin(greedy, MAX_BYTES), "}"))
        .startsWith("HTTP/1.1 503")
        .contains("Retry-After: ", "UNAVAILABLE", "share");
    assertThat(CLIENT.heartbeatOnce(greedy).status()).isEqualTo(200);
    Socket others = begin(victim, 2);
    await().until(() -> BUDGET.arriving() == MAX_OF_ONE_OWNER + 1);
    others.getOutputStream().write('}');
    assertThat(answerTo(others, "}")).startsWith("HTTP/1.1 400");
  }

  @Test
  void releaseTheirMemoryWhenADelayedAnswerIsSent() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent =
          CLIENT.createOnline(
              "called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      peer.usually(exchange -> {
        exchange.awaitRelease();
        return PeerBehavior.echo().act(exchange);
      });
      String message =
          """
          {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m",
          "role":"user","parts":[{"kind":"text","text":"%s"}]}}}
          """
              .formatted("x".repeat(100_000));
      var answer =
          CompletableFuture.supplyAsync(
              () -> CLIENT.post("/workspaces/" + agent.id() + "/a2a", ADMIN_TOKEN, message));
      await().until(() -> BUDGET.held() > 100_000);
      peer.release();
      assertThat(answer.join().status()).isEqualTo(200);
    }
    await().until(() -> BUDGET.held() == 0);
  }

  @Test
  void areRefusedAtOnceWhenTheyAreTooLarge() throws IOException {
    Agent slow = CLIENT.create("slow");
    Socket socket = begin(slow, MAX_BYTES + 1);

    assertThat(answerTo(socket, "}")).startsWith("HTTP/1.1 413").contains("Connection: close");
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> {
          try {
            socket.getOutputStream().write(' ');
            return false;
          } catch (SocketException closed) {
            return true;
          }
        });
  }

  private static String answerTo(Socket socket, String end) throws IOException {
    socket.setSoTimeout(10_000);
    StringBuilder answer = new StringBuilder();
    for (int c = socket.getInputStream().read(); c >= 0; c = socket.getInputStream().read()) {
      answer.append((char) c);
      if (answer.toString().endsWith(end)) {
        break;
      }
    }
    return answer.toString();
  }

  /** Sends the head and one byte of the body. */
  private Socket begin(Agent sender, int length) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.port());
    sockets.add(socket);
    String request =
        "POST /workspaces/%s/a2a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{"
            .formatted(sender.id(), sender.token(), length);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }
}
