package dev.muster.message.send;

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
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A sender that waits for a push agent gets nothing once its credential is invalid (R1.6); the
 * delivery continues (R7.8).
 */
@Slow
@Timeout(120)
class HeldSenderTest {

  /** More than the 5 s of R1.6, for a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private static final String WORKING =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"final\":false}}";
  private static final String DONE =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"final\":true}}";

  private static final TestServer HERE = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestServer THERE =
      TestServer.startOn(HERE.database(), "AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = HERE.client();

  enum Departure {
    REVOKED,
    REMOVED;

    void of(Agent agent) {
      String workspace = "/workspaces/" + agent.id();
      Answer answer =
          switch (this) {
            case REVOKED -> CLIENT.delete(workspace + "/tokens/" + tokenId(agent), ADMIN_TOKEN);
            case REMOVED -> CLIENT.delete(workspace, ADMIN_TOKEN);
          };
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    private static String tokenId(Agent agent) {
      String tokens = "/workspaces/" + agent.id() + "/tokens";
      return CLIENT.get(tokens, ADMIN_TOKEN).json().at("/tokens/0/id").asString();
    }
  }

  private final Agent lead = CLIENT.create("Lead");
  private final Agent sender = CLIENT.create("Sender", child());

  @AfterAll
  static void stop() {
    THERE.close();
    HERE.close();
  }

  @ParameterizedTest
  @EnumSource
  void getsNoAnswer(Departure departure) throws IOException {
    CountDownLatch goOn = new CountDownLatch(1);
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PushAgents.answerAfter(goOn, PushAgents.ANSWER));
      Agent calledHere = called(peer);
      Agent calledThere = called(peer);
      List<CompletableFuture<Answer>> sends =
          List.of(
              sendAsync(HERE, calledHere, ProxyClient.message("m", "hi")),
              sendAsync(THERE, calledThere, ProxyClient.message("m", "hi")));
      peer.awaitDeliveries(2);

      departure.of(sender);
      awaitRefusals();
      goOn.countDown();

      sends.forEach(HeldSenderTest::assertUnauthenticated);
      assertStored(calledHere, PushAgents.ANSWER);
      assertStored(calledThere, PushAgents.ANSWER);
    }
  }

  @ParameterizedTest
  @EnumSource
  void getsNoFurtherEventOfAStream(Departure departure) throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    try (TestPeer peer = TestPeer.start();
        Socket client = new Socket(InetAddress.getLoopbackAddress(), THERE.port())) {
      peer.then(
          PeerBehavior.eventsInTwo("data: " + WORKING + "\n\n", goOn, "data: " + DONE + "\n\n"));
      Agent called = called(peer);
      BufferedReader stream = stream(client, called);

      departure.of(sender);

      assertCut(rest(stream));
      goOn.countDown();
      assertStored(called, DONE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void getsNoFurtherEventOfAStreamWithoutPauses(Departure departure) throws Exception {
    try (TestPeer peer = TestPeer.start();
        Socket client = new Socket(InetAddress.getLoopbackAddress(), THERE.port())) {
      peer.then(workingUntilReleased());
      Agent called = called(peer);
      BufferedReader stream = stream(client, called);

      departure.of(sender);

      assertCut(rest(stream));
      peer.release();
      assertStored(called, DONE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void getsNoStreamThatBeginsAfterwards(Departure departure) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.then(beginningWhenReleased());
      Agent called = called(peer);
      CompletableFuture<Answer> answer = sendAsync(THERE, called, streaming());
      peer.awaitDeliveries(1);

      departure.of(sender);
      awaitRefusals();
      peer.release();

      assertUnauthenticated(answer);
      assertStored(called, DONE);
    }
  }

  private static PeerBehavior workingUntilReleased() {
    return exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
      do {
        exchange.send("data: " + WORKING + "\n\n");
      } while (!exchange.awaitRelease(Duration.ofMillis(100)));
      exchange.send("data: " + DONE + "\n\n");
      return false;
    };
  }

  private static PeerBehavior beginningWhenReleased() {
    return exchange -> {
      exchange.receive();
      exchange.awaitRelease();
      exchange.send(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " + DONE + "\n\n");
      return false;
    };
  }

  private String child() {
    return "\"parent_id\":\"" + lead.id() + "\"";
  }

  private Agent called(TestPeer peer) {
    return new PushAgents(HERE).at(peer.url(), child());
  }

  private CompletableFuture<Answer> sendAsync(TestServer server, Agent target, String body) {
    return CompletableFuture.supplyAsync(
        () -> server.client().post(ProxyClient.path(target.id()), sender.token(), body),
        Thread::startVirtualThread);
  }

  private static String streaming() {
    return ProxyClient.message("m", "hi").replace("message/send", "message/stream");
  }

  /** A stream of which the first event has been read. */
  private BufferedReader stream(Socket client, Agent target) throws IOException {
    String body = streaming();
    client
        .getOutputStream()
        .write(
            "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(ProxyClient.path(target.id()), sender.token(), body.length(), body)
                .getBytes(StandardCharsets.UTF_8));
    BufferedReader answer =
        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
    assertThat(answer.lines().anyMatch(line -> line.contains(WORKING))).isTrue();
    return answer;
  }

  /** The stream does not look complete: it ends with an error, and without the last chunk. */
  private static void assertCut(String rest) {
    assertThat(rest)
        .doesNotContain(DONE)
        .contains("\"error\":{\"code\":-32603", "\"code\":\"UNAUTHENTICATED\"")
        .doesNotEndWith("\n0\n");
  }

  /** Reads until the stream ends, which is soon. */
  private static String rest(BufferedReader stream) throws Exception {
    return CompletableFuture.supplyAsync(
            () -> String.join("\n", stream.lines().toList()), Thread::startVirtualThread)
        .get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  /** Waits until both replicas refuse the sender's token. */
  private void awaitRefusals() {
    String path = "/registry/" + sender.id() + "/peers";
    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            Stream.of(HERE, THERE)
                .allMatch(server -> server.client().get(path, sender.token()).status() == 401));
  }

  private static void assertUnauthenticated(CompletableFuture<Answer> answer) {
    assertRefused(
        answer.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join(), 401, "UNAUTHENTICATED");
  }

  private static void assertStored(Agent target, String answer) {
    String path = "/workspaces/" + target.id() + "/activity?type=a2a_receive";
    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(CLIENT.get(path, ADMIN_TOKEN).json().at("/0/response_body").toString())
                .isEqualTo(answer));
  }
}
