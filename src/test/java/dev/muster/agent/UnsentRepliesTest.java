package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.FreePorts;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.JsonNodeFactory;

/** Replies that could not be sent are sent when the server is back. */
@Slow
@Timeout(120)
class UnsentRepliesTest {

  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final String FROM_PEER =
      "[{\"id\":\"a-1\",\"source\":\"peer_agent\",\"source_id\":\"6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10\","
          + "\"data\":{\"text\":\"hi\",\"message_id\":\"m-1\"}}]";
  private static final PeerBehavior ACCEPTED =
      PeerBehavior.answer(200, "{\"status\":\"queued\",\"activity_id\":\"r-1\"}");

  private final Agent agent = AgentServer.CLIENT.create("Cut off");

  @TempDir private Path folder;

  @Test
  void sendsAKeptReplyUnderTheSameIdAfterARestart() throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.then(PeerBehavior.answer(200, FROM_PEER)).usually(PeerBehavior.resetAfterRequest());

      assertThat(delivery(platform).runOnce(MessageHandler.text((_, _) -> "well"))).isEqualTo(1);

      assertThat(files()).hasSize(1);
      assertThat(Files.getPosixFilePermissions(files().getFirst()))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      List<String> tries = bodies(platform);
      assertThat(tries).hasSize(3);

      platform.usually(PeerBehavior.answer(200, "[]"));
      platform.then(ACCEPTED);
      assertThat(delivery(platform).runOnce(this::fail)).isZero();

      assertThat(bodies(platform)).hasSize(4).allMatch(tries.getFirst()::equals);
      assertThat(files()).isEmpty();
    }
  }

  /** Also when one peer is unreachable: other replies are sent, and messages are received. */
  @ParameterizedTest
  @CsvSource({
    "500, INTERNAL, true",
    "503, UNAVAILABLE, true",
    "503, AGENT_UNREACHABLE, true",
    "504, AGENT_TIMEOUT, true",
    "429, RATE_LIMITED, true",
    "401, UNAUTHENTICATED, true",
    "401, AGENT_HTTP_ERROR, false",
    "403, AGENT_HTTP_ERROR, false",
    "502, AGENT_HTTP_ERROR, false",
    "502, BAD_AGENT_RESPONSE, false",
    "403, FORBIDDEN, false",
    "409, MESSAGE_ID_REUSED, false",
    "410, WORKSPACE_REMOVED, false",
  })
  void keepsOnlyRepliesThatMayBeSentLater(int status, String code, boolean kept)
      throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform
          .then(PeerBehavior.answer(200, FROM_PEER))
          .usually(PeerBehavior.answer(status, "{\"error\":\"no\",\"code\":\"" + code + "\"}"));

      assertThat(delivery(platform).runOnce(MessageHandler.text((_, _) -> "well"))).isEqualTo(1);

      assertThat(files()).hasSize(kept ? 1 : 0);
    }
  }

  @Test
  void keepsTheReportOfAFailedTask() throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.usually(PeerBehavior.resetAfterRequest());
      delivery(platform)
          .reportFailure("d-1", "no model", AgentServer.clientAt(platform.port(), agent));
      assertThat(files()).hasSize(1);

      platform.usually(PeerBehavior.answer(200, "[]"));
      platform.then(PeerBehavior.answer(200, "{\"status\":\"failed\"}"));
      delivery(platform).runOnce(this::fail);

      assertThat(files()).isEmpty();
      assertThat(
              platform.deliveries().stream()
                  .filter(one -> one.requestLine().contains("/delegations/d-1/update"))
                  .toList())
          .hasSizeGreaterThan(1)
          .allMatch(one -> one.text().equals("{\"status\":\"failed\",\"error\":\"no model\"}"));
    }
  }

  @Test
  void keepsRepliesInMemoryWithoutAFile() throws IOException {
    try (TestPeer platform = TestPeer.start()) {
      platform.then(PeerBehavior.answer(200, FROM_PEER)).usually(PeerBehavior.resetAfterRequest());
      PollDelivery delivery =
          PollDelivery.builder(AgentServer.clientAt(platform.port(), agent)).build();
      delivery.runOnce(MessageHandler.text((_, _) -> "well"));
      assertThat(bodies(platform)).hasSize(3);

      platform.usually(PeerBehavior.answer(200, "[]"));
      platform.then(ACCEPTED);
      delivery.runOnce(this::fail);

      assertThat(bodies(platform)).hasSize(4);
    }
  }

  @Test
  void keepsTheLastThousandForAWeek() {
    UnsentReplies unsent = new UnsentReplies(null);
    Instant now = Instant.parse("2026-11-23T00:00:00Z");
    for (int i = 0; i <= 1_000; i++) {
      unsent.keep(unsent(i, now.plusSeconds(i)));
    }
    assertThat(unsent.oldestFirst())
        .hasSize(1_000)
        .first()
        .isEqualTo(unsent(1, now.plusSeconds(1)));

    unsent.expire(now.plus(Duration.ofDays(7)).plusSeconds(999));
    assertThat(unsent.oldestFirst()).hasSize(2);
    unsent.keep(unsent(1_000, now));
    assertThat(unsent.oldestFirst()).hasSize(2);
  }

  @Test
  void sendsReadableFilesInOrderAndSkipsOthers() throws IOException {
    Path cursor = folder.resolve("cursor.json");
    UnsentReplies first = new UnsentReplies(cursor);
    for (int i = 1; i <= 11; i++) {
      first.keep(unsent(i, Instant.EPOCH));
    }
    Path damaged = folder.resolve("cursor.json.unsent-5.json");
    Files.writeString(damaged, "{\"what\":");

    UnsentReplies second = new UnsentReplies(cursor);

    assertThat(second.oldestFirst().stream().map(UnsentReplies.Unsent::what))
        .containsExactly("r-1", "r-2", "r-3", "r-4", "r-6", "r-7", "r-8", "r-9", "r-10", "r-11");
    assertThat(damaged).exists();
  }

  /** The command does not run again, and its output reaches the canvas. */
  @Test
  void repliesAfterAnOutageAndARestart() throws Exception {
    AgentServer.sendFromCanvas(agent, "m-1", "hi");
    Path state = folder.resolve("state");
    Path cursor = state.resolve("cursor.json");
    Path runs = folder.resolve("runs");
    try (TcpRelay relay = new TcpRelay(AgentServer.SERVER.port())) {
      var environment = new HashMap<>(AgentProcess.as(agent, state));
      environment.put("MUSTER_URL", "http://127.0.0.1:" + relay.port());
      String command =
          "echo run >> %s; while [ ! -e %s ]; do sleep 0.1; done; echo late"
              .formatted(runs, folder.resolve("go"));
      try (AgentProcess program = AgentProcess.start(environment, "connect", "--exec", command)) {
        await().atMost(LIMIT).until(() -> Files.exists(runs));
        relay.heal(FreePorts.next()); // a port without a listener
        Files.createFile(folder.resolve("go"));
        await().atMost(LIMIT).until(() -> !unsentIn(state).isEmpty());
        await()
            .atMost(LIMIT)
            .until(() -> Files.exists(cursor) && Files.readString(cursor).contains("/m-1"));
        program.kill();
      }
      relay.heal(AgentServer.SERVER.port());
      try (AgentProcess again = AgentProcess.start(environment, "connect", "--exec", command)) {
        await().atMost(LIMIT).until(() -> AgentServer.notifications(agent).equals(List.of("late")));
        await().atMost(LIMIT).until(() -> unsentIn(state).isEmpty());
        again.terminate();
        assertThat(again.awaitEnd()).isZero();
      }
    }
    assertThat(Files.readAllLines(runs)).hasSize(1);
    assertThat(unsentIn(state)).isEmpty();
  }

  private static UnsentReplies.Unsent unsent(int i, Instant since) {
    return new UnsentReplies.Unsent(
        "r-" + i, "/path", JsonNodeFactory.instance.objectNode(), since);
  }

  private PollDelivery delivery(TestPeer platform) {
    return PollDelivery.builder(AgentServer.clientAt(platform.port(), agent))
        .cursorFile(folder.resolve("cursor.json"))
        .build();
  }

  private Reply fail(InboundMessage message, AgentClient client) {
    throw new AssertionError("handled again: " + message);
  }

  private List<Path> files() throws IOException {
    return unsentIn(folder);
  }

  private static List<Path> unsentIn(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().contains("unsent")).toList();
    }
  }

  private static List<String> bodies(TestPeer platform) {
    return platform.deliveries().stream()
        .filter(one -> one.requestLine().startsWith("POST /workspaces/6f0e2a52"))
        .map(TestPeer.Delivery::text)
        .toList();
  }
}
