package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.RawHttp;
import dev.muster.testing.Rounds;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Large messages and answers, and hostile ones, at a server with a small heap (R7.6, R0.7). */
@Slow
@Timeout(300)
class LargeBodiesTest {

  private static final int MESSAGE_BYTES = 15 << 20;
  private static final int SENDERS = 2;
  private static final Duration CALM = Duration.ofSeconds(Rounds.of(2, 4));
  private static final Duration ATTACK = Duration.ofSeconds(Rounds.of(5, 10));

  /** Far above the noise of a small machine that runs other programs. */
  private static final int MAX_TIMES_SLOWER = 20;

  private static final long MIN_BOUND_MS = 1_000;

  /** The full form: {@code -Dlarge.answers=64} on the command line of the tests' JVM. */
  private static final int MANY = Integer.getInteger("large.answers", 16);

  private static final byte[] ANSWER =
      ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"" + "x".repeat(20 << 20) + "\"}")
          .getBytes(StandardCharsets.UTF_8);

  private static final int MIB = 1 << 20;
  private static final int DRIPPING = Rounds.of(6, 10);
  private static final int STREAMING = Rounds.of(12, 30);
  private static final byte[] PIECE = "x".repeat(MIB).getBytes(StandardCharsets.UTF_8);
  private static final String LARGE =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"" + "x".repeat(8 * MIB) + "\"}";

  private static final TestDatabase DATABASE = TestDatabases.create();

  private static ServerProcess server;
  private static TestClient client;

  @BeforeAll
  static void start(@TempDir Path home) throws IOException {
    server =
        ServerProcess.start(
                home, ServerProcess.settings(DATABASE.url(), "JAVA_TOOL_OPTIONS=-Xmx512m"))
            .awaitReady();
    client = server.client();
  }

  @AfterEach
  void serverIsWell() {
    assertThat(client.get("/ready", null).status()).isEqualTo(200);
    assertThat(server.output()).doesNotContain("OutOfMemoryError");
  }

  @AfterAll
  static void close() throws IOException {
    server.close();
  }

  /** Latencies in ms, shortest first. */
  private record Latencies(List<Long> ms, long longestPauseMs) {

    long median() {
      return ms.get(ms.size() / 2);
    }

    long p99() {
      return ms.get(ms.size() * 99 / 100);
    }

    @Override
    public String toString() {
      return "%d requests: p50 %d ms, p99 %d ms, longest %d ms"
          .formatted(ms.size(), median(), p99(), ms.getLast());
    }
  }

  @Test
  void comeAndAreStoredWhenTheyAreMany() throws IOException {
    try (TestPeer peer = TestPeer.start().usually(answering());
        HttpClient http = HttpClient.newHttpClient()) {
      Agent target =
          client.createOnline(
              "Called",
              "\"delivery_mode\":\"push\"",
              "\"url\":\"" + peer.url() + "\"",
              "\"max_concurrent_tasks\":100");

      List<String> answers = Race.run(MANY, i -> answer(http, target, i));

      assertThat(answers).containsOnly("200 " + ANSWER.length);
      assertThat(peer.deliveries()).hasSize(MANY);
      assertThat(
              DATABASE.value(
                  """
                  SELECT count(*) FROM delivery_outcomes
                  WHERE state = 'answered' AND deliveries = 1 AND response_bytes = %d
                  """
                      .formatted(ANSWER.length)))
          .isEqualTo(Integer.toString(MANY));
    }
  }

  @Test
  void leaveOtherAgentsTheirLargeAnswersAndHeartbeats() throws IOException {
    try (TestPeer dripping = TestPeer.start().usually(promising64MibAndSending34());
        TestPeer streaming = TestPeer.start().usually(oneLineWithoutAnEnd());
        TestPeer honest = TestPeer.start().usually(PeerBehavior.answer(200, LARGE))) {
      Agent owner = client.createOnline("Owner");
      for (int i = 0; i < DRIPPING; i++) {
        sendAndHangUp(client, owner.token(), called(client, owner, dripping), "message/send");
      }
      for (int i = 0; i < STREAMING; i++) {
        sendAndHangUp(client, owner.token(), called(client, owner, streaming), "message/stream");
      }
      Agent victim = client.createOnline("Victim");
      Agent answering = called(client, victim, honest);
      dripping.awaitDeliveries(DRIPPING);
      streaming.awaitDeliveries(STREAMING);

      for (int i = 0; i < 3; i++) {
        Answer answer =
            client.post(
                ProxyClient.path(answering.id()),
                victim.token(),
                ProxyClient.message("m-" + i, "hi"),
                "X-Timeout",
                "25");
        assertThat(answer.status()).as(shortened(answer)).isEqualTo(200);
        assertThat(client.heartbeatOnce(victim).status()).isEqualTo(200);
        assertThat(client.get("/health", null).status()).isEqualTo(200);
      }
    }
  }

  /** A sequence of messages of nearly 16 MiB does not slow down other callers. */
  @Test
  void leaveAppendsAndHeartbeatsOfOthersFast() throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      Agent victim = client.create("Victim");
      measure(client, victim, CALM);
      Latencies calm = measure(client, victim, CALM);

      AtomicBoolean over = new AtomicBoolean();
      List<Future<List<Answer>>> senders = new ArrayList<>();
      Agent target = client.create("Target");
      for (int i = 0; i < SENDERS; i++) {
        Agent sender = client.create("Sender", "\"parent_id\":\"" + target.id() + "\"");
        senders.add(threads.submit(() -> send(client, sender, target, over)));
      }
      Latencies attacked = measure(client, victim, ATTACK);
      over.set(true);

      List<Answer> answers = new ArrayList<>();
      for (Future<List<Answer>> sender : senders) {
        answers.addAll(sender.get());
      }
      System.out.printf(
          "calm: %s; beside %d large messages, %d stored: %s%n",
          calm,
          answers.size(),
          answers.stream().filter(answer -> answer.status() == 200).count(),
          attacked);
      assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isIn(200, 503));
      assertThat(attacked.p99())
          .as("calm: %s; attacked: %s", calm, attacked)
          .isLessThan(
              attacked.longestPauseMs() + Math.max(MIN_BOUND_MS, MAX_TIMES_SLOWER * calm.p99()));
    }
  }

  /**
   * Measures heartbeats and appends in turn. None fails while the machine can commit within the 3 s
   * of a statement.
   */
  private static Latencies measure(TestClient client, Agent victim, Duration duration)
      throws IOException {
    List<Long> ms = new ArrayList<>();
    Duration longestPause;
    try (MachinePauses pauses = new MachinePauses()) {
      long end = System.nanoTime() + duration.toNanos();
      while (System.nanoTime() < end) {
        long start = System.nanoTime();
        Answer answer =
            ms.size() % 2 == 0
                ? client.heartbeatOnce(victim)
                : client.post(
                    "/workspaces/" + victim.id() + "/activity",
                    victim.token(),
                    "{\"activity_type\":\"agent_log\",\"summary\":\"at work\"}");
        ms.add(Duration.ofNanos(System.nanoTime() - start).toMillis());
        if (answer.status() != 200) {
          assertThat(answer.status()).as(answer.text()).isEqualTo(503);
          assertThat(pauses.longest()).as(answer.text()).isGreaterThan(Duration.ofSeconds(2));
        }
      }
      longestPause = pauses.longest();
    }
    Collections.sort(ms);
    return new Latencies(ms, longestPause.toMillis());
  }

  private static List<Answer> send(
      TestClient client, Agent sender, Agent target, AtomicBoolean over) {
    byte[] random = new byte[MESSAGE_BYTES / 4 * 3];
    new Random(7).nextBytes(random);
    String text = Base64.getEncoder().encodeToString(random);
    int port = Integer.parseInt(client.baseUrl().replaceFirst(".*:", ""));
    List<Answer> answers = new ArrayList<>();
    while (!over.get()) {
      byte[] body =
          ProxyClient.message("m-" + answers.size(), text).getBytes(StandardCharsets.UTF_8);
      answers.add(
          RawHttp.send(
              port,
              "POST " + ProxyClient.path(target.id()),
              List.of("Authorization: Bearer " + sender.token(), "Content-Type: application/json"),
              body));
    }
    return answers;
  }

  /** Sends the answer without a copy for each request. */
  private static PeerBehavior answering() {
    return exchange -> {
      exchange.receive();
      exchange.send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
              + ANSWER.length
              + "\r\n\r\n");
      exchange.send(ANSWER);
      return true;
    };
  }

  /** Returns the status and the number of bytes, which are discarded. */
  private static String answer(HttpClient http, Agent target, int n) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(client.baseUrl() + ProxyClient.path(target.id())))
            .header("Authorization", "Bearer " + ADMIN_TOKEN)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(ProxyClient.message("m" + n, "hi")))
            .build();
    HttpResponse<InputStream> response =
        http.sendAsync(request, BodyHandlers.ofInputStream()).join();
    try (InputStream body = response.body()) {
      return response.statusCode() + " " + body.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String shortened(Answer answer) {
    return answer.text().substring(0, Math.min(300, answer.text().length()));
  }

  private static Agent called(TestClient client, Agent parent, TestPeer peer) {
    return client.createOnline(
        "Called",
        "\"parent_id\":\"" + parent.id() + "\"",
        "\"delivery_mode\":\"push\"",
        "\"url\":\"" + peer.url() + "\"");
  }

  /** The delivery continues without its client. */
  private static void sendAndHangUp(TestClient client, String token, Agent to, String method)
      throws IOException {
    URI server = URI.create(client.baseUrl());
    String body = ProxyClient.message("m", "hi").replace("message/send", method);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
      socket
          .getOutputStream()
          .write(
              "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nX-Timeout: 86400\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(ProxyClient.path(to.id()), token, body.length(), body)
                  .getBytes(StandardCharsets.UTF_8));
      socket.setSoTimeout(300);
      var _ = read(socket);
    }
  }

  /** Whether a response has begun; by then the request was read. */
  private static boolean read(Socket socket) {
    try {
      return socket.getInputStream().read() >= 0;
    } catch (IOException nothingYet) {
      return false;
    }
  }

  private static PeerBehavior promising64MibAndSending34() {
    return exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + 64 * MIB + "\r\n\r\n\"");
      for (int i = 0; i < 34; i++) {
        exchange.send(PIECE);
      }
      while (!exchange.awaitRelease(Duration.ofMillis(100))) {
        exchange.send("x");
      }
      return false;
    };
  }

  private static PeerBehavior oneLineWithoutAnEnd() {
    return exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ");
      for (int i = 0; i < 16; i++) {
        exchange.send(PIECE);
      }
      exchange.awaitRelease();
      return false;
    };
  }
}
