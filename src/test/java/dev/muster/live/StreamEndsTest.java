package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.LiveEvents;
import dev.muster.platform.problem.ProblemException;
import dev.muster.testing.FastPace;
import dev.muster.testing.Refusals;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Streams with clients that do not read, with many clients, and at shutdown. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.SAME_THREAD)
class StreamEndsTest {

  private static final int IDLE = 2000;
  private static final int IDLE_OF_A_TOKEN = 500;

  private static TestServer server;
  private static TestClient client;

  @BeforeAll
  static void start() {
    server = TestServer.startWith(TestDatabases.create(), List.of(FastPace.class));
    client = server.client();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void awaitEnds() {
    Awaitility.await().until(() -> streams("websocket") == 0 && streams("sse") == 0);
  }

  @Test
  void closesAClientThatNeverReadsWith1013AndSkipsNothingBeforeIt() throws Exception {
    double before = closed("websocket", "slow");
    try (Socket socket = new Socket()) {
      Agent agent = client.create("loud");
      Backlog.open(socket, server.port(), "/ws?after=0", ADMIN_TOKEN);
      Awaitility.await().until(() -> streams("websocket") == 1);
      causeTwelveMegabytesOfEvents(agent);
      Awaitility.await()
          .atMost(Duration.ofSeconds(25))
          .until(() -> closed("websocket", "slow") == before + 1);
      Backlog backlog = Backlog.read(socket);
      assertThat(backlog.closeCode()).isEqualTo(1013);
      assertThat(backlog.seqs().getFirst()).isEqualTo(1);
      for (int i = 1; i < backlog.seqs().size(); i++) {
        assertThat(backlog.seqs().get(i)).isEqualTo(backlog.seqs().get(i - 1) + 1);
      }
      String all = server.database().value("SELECT last_seq FROM event_head");
      assertThat(backlog.seqs().size()).isLessThan(Integer.parseInt(all));
    }
  }

  @Test
  void endsAnEventStreamWithoutAReader() throws Exception {
    double before = closed("sse", "slow");
    try (Socket socket = new Socket()) {
      Agent agent = client.create("loud");
      connectWithASmallBuffer(socket);
      socket.getOutputStream().write(eventStreamRequest());
      Awaitility.await().until(() -> streams("sse") == 1);
      causeTwelveMegabytesOfEvents(agent);
      Awaitility.await()
          .atMost(Duration.ofSeconds(25))
          .until(() -> streams("sse") == 0 && closed("sse", "slow") == before + 1);
    }
  }

  @Test
  void holdsTwoThousandIdleStreamsAndSendsEachAnEvent() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < IDLE; i += IDLE_OF_A_TOKEN) {
        String viewer =
            client
                .post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"Eyes\",\"role\":\"viewer\"}")
                .field("auth_token");
        for (int n = 0; n < IDLE_OF_A_TOKEN; n++) {
          Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
          socket.getOutputStream().write(eventStreamRequest(viewer));
          idle.add(socket);
        }
      }
      Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> streams("sse") == IDLE);
      Agent agent = client.createOnline("heard by all");
      for (Socket socket : idle) {
        assertThat(readUntil(socket, "WORKSPACE_ONLINE")).contains(agent.id().toString());
      }
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  @Test
  void closesEveryStreamAtShutdownAndEndsSoon() throws Exception {
    TestServer ending = TestServer.start();
    try (TestSocket socket = TestSocket.open(ending.client(), "/ws", ADMIN_TOKEN);
        TestEventStream stream =
            TestEventStream.open(ending.client(), "/events/stream", ADMIN_TOKEN)) {
      long start = System.nanoTime();
      ending.close();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
      assertThat(socket.awaitClose(Duration.ofSeconds(15))).isEqualTo(1001);
      assertThat(stream.awaitEnd(Duration.ofSeconds(15))).isTrue();
    }
  }

  @Test
  void pingsBothKindsOfStreamsAndRemovesDisconnectedClients() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(eventStreamRequest());
      try (TestSocket hungUp = TestSocket.open(client, "/ws", ADMIN_TOKEN);
          TestSocket staying = TestSocket.open(client, "/ws", ADMIN_TOKEN)) {
        Awaitility.await().until(() -> streams("websocket") == 2);
        hungUp.hangUp();
        Awaitility.await().until(() -> streams("websocket") == 1);
        socket.setSoTimeout(20_000);
        assertThat(readUntil(socket, ": ping")).contains(": connected");
        assertThat(staying.awaitPing(Duration.ofSeconds(25))).isTrue();
      }
    }
  }

  /** A stream that cannot begin takes none of the 50 of its owner. */
  @Test
  void countsNoStreamThatCouldNotBegin() throws Exception {
    Agent agent = client.create("tries again");
    AtomicBoolean fails = new AtomicBoolean(true);
    server
        .bean(LiveEvents.class)
        .beforeWatched(() -> {
          if (fails.get()) {
            throw ProblemException.unavailable("the current state cannot be read");
          }
        });

    String path = "/workspaces/" + agent.id() + "/events/stream";
    try {
      for (int i = 0; i <= 50; i++) {
        Refusals.assertRefused(client.get(path, agent.token()), 503, "UNAVAILABLE");
      }
    } finally {
      fails.set(false);
    }

    try (TestEventStream _ = TestEventStream.open(client, path, agent.token())) {
      Awaitility.await().until(() -> streams("sse") == 1);
    }
  }

  /** The server sends nothing else that would detect it (R10.4). */
  @Test
  void detectsByPingsThatTheClientOfAnEventStreamIsGone() throws Exception {
    double before = closed("sse", "gone");
    Socket leaving = new Socket(InetAddress.getLoopbackAddress(), server.port());
    Socket cut = new Socket(InetAddress.getLoopbackAddress(), server.port());
    for (Socket socket : List.of(leaving, cut)) {
      socket.getOutputStream().write(eventStreamRequest());
      assertThat(readUntil(socket, ": connected")).contains("200");
    }
    Awaitility.await().until(() -> streams("sse") == 2);
    leaving.close();
    cut.setSoLinger(true, 0);
    cut.close();
    Awaitility.await()
        .atMost(Duration.ofSeconds(45))
        .until(() -> streams("sse") == 0 && closed("sse", "gone") == before + 2);
  }

  private static void connectWithASmallBuffer(Socket socket) throws IOException {
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
  }

  private static void causeTwelveMegabytesOfEvents(Agent agent) {
    String name = "x".repeat(200_000);
    for (int i = 0; i < 60; i++) {
      String card =
          "{\"workspace_id\":\"" + agent.id() + "\",\"agent_card\":{\"n\":\"" + i + name + "\"}}";
      assertThat(client.post("/registry/update-card", agent.token(), card).status()).isEqualTo(200);
    }
  }

  private static byte[] eventStreamRequest() {
    return eventStreamRequest(ADMIN_TOKEN);
  }

  private static byte[] eventStreamRequest(String token) {
    return ("GET /events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + token
            + "\r\n\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static String readUntil(Socket socket, String text) throws IOException {
    StringBuilder read = new StringBuilder();
    byte[] buffer = new byte[8192];
    while (read.indexOf(text) < 0) {
      int n = socket.getInputStream().read(buffer);
      if (n < 0) {
        throw new EOFException("the stream ended: " + read);
      }
      read.append(new String(buffer, 0, n, StandardCharsets.UTF_8));
    }
    return read.toString();
  }

  /** The served metrics may be a second old. */
  private static double streams(String kind) {
    return registry().get("muster.streams").tag("kind", kind).gauge().value();
  }

  private static double closed(String kind, String reason) {
    @Nullable Counter counter =
        registry().find("muster.streams.closed").tags("kind", kind, "reason", reason).counter();
    return counter == null ? 0 : counter.count();
  }

  private static MeterRegistry registry() {
    return server.bean(MeterRegistry.class);
  }
}
