package dev.muster.platform.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Race;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection that never stops sending does not occupy a processor. */
@Slow
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FloodTest {

  /** An occupied processor would delay others by seconds, during the whole flood. */
  private static final Duration SOON = Duration.ofSeconds(2);

  /**
   * A connection that is read without a pause delays others by a fifth of a second and more each
   * time; one that is paused delays them hardly.
   */
  private static final Duration AT_ONCE = Duration.ofMillis(100);

  /** A busy machine is slow for all: so many times the latency without a flood is accepted. */
  private static final int HARDLY_FELT = 10;

  private static final int HEARTBEATS = 30;

  /** A busy machine may delay a few requests. */
  private static final int MAY_BE_LATE = 3;

  private static final String PAUSES = "muster_http_pauses_total";
  private static final String REFUSALS = "muster_http_answers_total{status=\"401\"}";
  private static final int PATIENT_CLIENTS = 64;
  private static final int REQUESTS_OF_EACH = Rounds.of(100, 500);

  private static final TestServer SERVER = TestServer.start();
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @ParameterizedTest
  @CsvSource({"2, /health", "8, /nothing-here", "50, /health"})
  void doesNotDelayOthersByPipelinedRequests(int connections, String path) throws Exception {
    Agent agent = CLIENT.create("victim");
    byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII);
    List<Duration> quiet = heartbeats(agent);
    List<Duration> flooded;
    try (Flood flood = Flood.start(SERVER.port(), connections, "", request)) {
      flooded = heartbeats(agent);
      assertThat(flood.bytesRead()).isGreaterThan(5_000);
      await().untilAsserted(() -> assertThat(CLIENT.metric(PAUSES)).isPositive());
    }
    assertHardlyFelt(flooded, quiet, heartbeats(agent));
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 32})
  void doesNotDelayOthersByAChunkWithoutEnd(int connections) throws Exception {
    Agent agent = CLIENT.create("victim");
    String head =
        "POST /registry/heartbeat HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n1;";
    List<Duration> quiet = heartbeats(agent);
    List<Duration> flooded;
    try (Flood _ = Flood.start(SERVER.port(), connections, head, new byte[] {'x'})) {
      flooded = heartbeats(agent);
    }
    assertHardlyFelt(flooded, quiet, heartbeats(agent));
  }

  /**
   * Runs before any flood. The next request often arrives before the server reads the connection
   * again.
   */
  @Order(1)
  @Test
  void doesNotPauseAClientThatWaitsForAnswers() {
    int answers = Race.run(PATIENT_CLIENTS, _ -> askAndWait()).stream().mapToInt(n -> n).sum();
    await()
        .untilAsserted(() -> assertThat(CLIENT.metric(REFUSALS)).isGreaterThanOrEqualTo(answers));
    assertThat(CLIENT.metric(PAUSES)).isZero();
  }

  /** Returns how many answers it got on one connection. */
  private static int askAndWait() {
    byte[] request =
        "POST /workspaces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
            .getBytes(US_ASCII);
    byte[] answer = new byte[8192];
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.port())) {
      for (int i = 0; i < REQUESTS_OF_EACH; i++) {
        socket.getOutputStream().write(request);
        int read = 0;
        while (read == 0 || answer[read - 1] != '}') {
          read += socket.getInputStream().readNBytes(answer, read, 1);
          int more = Math.min(socket.getInputStream().available(), answer.length - read);
          read += socket.getInputStream().readNBytes(answer, read, more);
        }
      }
      return REQUESTS_OF_EACH;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compares with the slower of before and after, since other programs share the machine. */
  private static void assertHardlyFelt(
      List<Duration> flooded, List<Duration> before, List<Duration> after) {
    assertThat(flooded.get(HEARTBEATS - 1 - MAY_BE_LATE))
        .as("all but few: %s", flooded)
        .isLessThan(SOON);
    Duration quiet =
        Collections.max(List.of(before.get(HEARTBEATS / 2), after.get(HEARTBEATS / 2)));
    Duration slow = quiet.multipliedBy(HARDLY_FELT);
    assertThat(flooded.get(HEARTBEATS / 2))
        .as("half of them: %s, without a flood %s", flooded, quiet)
        .isLessThan(slow.compareTo(AT_ONCE) > 0 ? slow : AT_ONCE);
  }

  /** The durations of heartbeats, the slowest last. */
  private static List<Duration> heartbeats(Agent agent) {
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < HEARTBEATS; i++) {
      long from = System.nanoTime();
      assertThat(CLIENT.get("/health", null).status()).isEqualTo(200);
      assertThat(CLIENT.heartbeatOnce(agent).status()).isEqualTo(200);
      took.add(Duration.ofNanos(System.nanoTime() - from));
    }
    took.sort(null);
    return took;
  }
}
