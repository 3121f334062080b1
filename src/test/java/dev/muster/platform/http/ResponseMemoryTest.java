package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Large answers that are not read take at most their owner's share of the memory. */
@Slow
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class ResponseMemoryTest {

  private static final int MIB = 1 << 20;
  private static final int MESSAGE_BYTES = 8 * MIB;

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();
  private static final ResponseMemory MEMORY = SERVER.bean(ResponseMemory.class);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void refusesAnOwnerWhoseAnswersAreNotReadAndServesOthers(CapturedOutput output) throws Exception {
    Agent greedy = CLIENT.create("greedy", "\"delivery_mode\":\"poll\"");
    Agent other = CLIENT.create("other", "\"delivery_mode\":\"poll\"");
    String row = largeRow(greedy);
    String ofOther = largeRow(other);

    List<Socket> unread = new ArrayList<>();
    try {
      for (int asked = 0; asked < 30; asked++) {
        unread.add(askAndDoNotRead("GET " + row, greedy, ""));
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> {
            // a busy database may have refused some of the requests before
            unread.add(askAndDoNotRead("GET " + row, greedy, ""));
            Answer refused = CLIENT.get(row, greedy.token());
            assertRefused(refused, 429, "RATE_LIMITED");
            assertThat(refused.header("Retry-After")).isNotEmpty();
          });
      assertThat(CLIENT.heartbeatOnce(greedy).status()).isEqualTo(200);

      Answer answer = CLIENT.get(ofOther, other.token());
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).hasSizeGreaterThan(MESSAGE_BYTES);
    } finally {
      for (Socket socket : unread) {
        socket.close();
      }
    }
    awaitNothingHeld();
    // this server's, since others may log at the same time
    assertThat(output.getAll()).doesNotContain("NotWritable", "the answer had begun");
    assertThat(CLIENT.get(row, greedy.token()).status()).isEqualTo(200);
    awaitNothingHeld();
  }

  @Test
  void refusesASenderOfDuplicatesThatDoesNotReadTheAnswers() throws Exception {
    List<Socket> unread = new ArrayList<>();
    try (TestPeer peer = TestPeer.start()) {
      String answer =
          "{\"jsonrpc\":\"2.0\",\"result\":\"%s\"}".formatted("x".repeat(MESSAGE_BYTES));
      peer.usually(PeerBehavior.answer(200, answer));
      Agent sender =
          CLIENT.createOnline(
              "repeats", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      String message =
          "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m\",\"parts\":[]}}}";
      String path = "/workspaces/" + sender.id() + "/a2a";
      assertThat(CLIENT.post(path, sender.token(), message).status()).isEqualTo(200);

      for (int asked = 0; asked < 30; asked++) {
        unread.add(askAndDoNotRead("POST " + path, sender, message));
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> {
            // a busy database may have refused some of the requests before
            unread.add(askAndDoNotRead("POST " + path, sender, message));
            assertRefused(CLIENT.post(path, sender.token(), message), 429, "RATE_LIMITED");
          });
      assertThat(CLIENT.heartbeatOnce(sender).status()).isEqualTo(200);
    } finally {
      for (Socket socket : unread) {
        socket.close();
      }
    }
    awaitNothingHeld();
  }

  @Test
  void releasesTheMemoryOfALongPollsAnswer() {
    Agent agent = CLIENT.create("patient", "\"delivery_mode\":\"poll\"");
    CompletableFuture<Answer> poll =
        CompletableFuture.supplyAsync(
            () -> CLIENT.get(path(agent) + "?type=a2a_receive&wait=60", agent.token()),
            Thread::startVirtualThread);
    Awaitility.await().until(() -> polls() == 1);
    send(agent, 200 * 1024);
    assertThat(poll.join().status()).isEqualTo(200);
    for (int n = 0; n < 3; n++) {
      send(agent, 200 * 1024);
    }

    Answer page = CLIENT.get(path(agent) + "?limit=500", agent.token());
    assertThat(page.text()).hasSizeGreaterThan(4 * 200 * 1024);
    awaitNothingHeld();
  }

  /** The path of one row with a message of 8 MiB. */
  private static String largeRow(Agent agent) {
    return path(agent) + "/" + send(agent, MESSAGE_BYTES);
  }

  private static String send(Agent agent, int bytes) {
    String message =
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}}"
            .formatted("x".repeat(bytes));
    Answer sent = CLIENT.patient().post("/workspaces/" + agent.id() + "/a2a", ADMIN_TOKEN, message);
    assertThat(sent.status()).as(sent.text()).isEqualTo(200);
    return sent.field("activity_id");
  }

  private static Socket askAndDoNotRead(String line, Agent agent, String body) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), SERVER.port()));
    String request =
        "%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(line, agent.token(), body.length(), body);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static void awaitNothingHeld() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(MEMORY.held()).isZero());
  }

  private static double polls() {
    return SERVER
        .metrics()
        .lines()
        .filter(line -> line.startsWith("muster_polls_waiting"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static String path(Agent agent) {
    return "/workspaces/" + agent.id() + "/activity";
  }
}
