package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FreePorts;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.PeerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpTable;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * For each fault of an agent or the network: the answer to the sender, the row and the record, and
 * the time limit (R7.4, R7.6, R7.8), with and without retries of ambiguous failures.
 */
@Slow
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class ProxyFaultsTest {

  /** Enough for two attempts and the wait between them. */
  private static final Duration TIMEOUT = Duration.ofSeconds(8);

  /** For agents that never finish: the first attempt takes all of it. */
  private static final Duration SHORT = Duration.ofSeconds(3);

  /** Margin for a machine that runs other tests too. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private static final List<String> EXTRAS =
      List.of("restarting", "retry_after", "busy", "delivery_confirmed", "agent_status");

  private static final TestServer WITH_RETRIES = start("true");
  private static final TestServer WITHOUT_RETRIES = start("false");

  private static final String MESSAGE = ProxyClient.message("m", "hi");

  private static TestServer start(String retriesAmbiguous) {
    return TestServer.start(
        "AGENT_URL_ALLOW=loopback",
        "A2A_DELEGATE_MAX_ATTEMPTS=2",
        "A2A_RETRY_AMBIGUOUS=" + retriesAmbiguous);
  }

  @AfterAll
  static void close() {
    WITHOUT_RETRIES.close();
    WITH_RETRIES.close();
  }

  private record Delivery(PushAgents called, Agent target, Answer answer, Duration elapsed) {

    static Delivery take(TestServer server, Agent target, Duration timeout) {
      long began = System.nanoTime();
      Answer answer =
          new ProxyClient(server)
              .send(
                  target,
                  ADMIN_TOKEN,
                  MESSAGE,
                  "X-Timeout",
                  Double.toString(timeout.toMillis() / 1e3));
      return new Delivery(
          new PushAgents(server), target, answer, Duration.ofNanos(System.nanoTime() - began));
    }

    String stored(String expression) {
      return called.stored(target, "m", expression);
    }

    /** No text names the address of the agent. */
    void assertHidesTheAddress(int port) {
      assertThat(List.of(answer.text(), stored("coalesce(l.error_detail, '')")))
          .allSatisfy(text ->
              assertThat(text)
                  .doesNotContain(
                      "127.0.0.1",
                      "localhost",
                      "10.1.2.3",
                      "no-such-host",
                      ":" + port,
                      "okhttp",
                      "Exception"));
    }

    void assertRow(String state, int deliveries, boolean hasFailed) {
      assertThat(stored("m.state || ' ' || m.deliveries")).isEqualTo(state + " " + deliveries);
      assertThat(stored("concat_ws(' ', m.owner)")).isEmpty();
      assertThat(stored("l.status")).isEqualTo(hasFailed ? "error" : "ok");
      assertThat(stored("coalesce(l.error_detail, '') <> ''")).isEqualTo(hasFailed ? "t" : "f");
      assertThat(Long.parseLong(stored("l.duration_ms"))).isBetween(0L, elapsed.toMillis());
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersAsTheTableRequires(CrashPoint fault) throws IOException {
    requireAnswer(fault, WITH_RETRIES, true);
  }

  @ParameterizedTest
  @EnumSource
  void answersAsTheTableRequiresAfterOneDelivery(CrashPoint fault) throws IOException {
    requireAnswer(fault, WITHOUT_RETRIES, false);
  }

  private static void requireAnswer(CrashPoint fault, TestServer server, boolean retriesAmbiguous)
      throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      if (fault.deed != null) {
        peer.usually(fault.deed);
      }
      int port = fault == CrashPoint.REFUSED ? FreePorts.next() : peer.port();
      Duration timeout = timeout(fault);
      Delivery sent;
      Duration pause;
      try (MachinePauses pauses = new MachinePauses()) {
        sent = Delivery.take(server, target(fault, server, port), timeout);
        pause = pauses.longest();
      }

      int deliveries = Integer.parseInt(sent.stored("m.deliveries"));
      CrashPoint.Outcome outcome = fault.outcome(deliveries);
      assertAnswer(fault, outcome, sent.answer());
      assertThat(sent.elapsed()).isLessThan(timeout.plus(MARGIN).plus(pause));
      assertThat(fault.mayCount(deliveries, retriesAmbiguous)).as("%d", deliveries).isTrue();
      sent.assertRow(outcome.state, deliveries, true);
      assertThat(sent.stored("l.error_detail")).matches("(?s)(" + fault.kind() + ")\\b.*");
      sent.assertHidesTheAddress(port);
      assertThat(peer.deliveries()).hasSize(fault.wholeDeliveries(retriesAmbiguous));
      assertThat(peer.deliveries().stream().map(TestPeer.Delivery::text).distinct().count())
          .isLessThanOrEqualTo(1);
    }
  }

  private static Duration timeout(CrashPoint fault) {
    return switch (fault) {
      case SILENCE, DEAFNESS, DRIP -> SHORT;
      case SENT_65_MIB -> Duration.ofSeconds(20);
      default -> TIMEOUT;
    };
  }

  /** Some urls cannot be registered by an agent, so the database is changed. */
  private static Agent target(CrashPoint fault, TestServer server, int port) {
    String usual = "http://127.0.0.1:" + port + "/a2a";
    Agent target = new PushAgents(server).at(usual);
    String url =
        switch (fault) {
          case NO_SUCH_NAME -> "http://no-such-host.invalid/a2a";
          case NOT_ALLOWED -> "http://10.1.2.3:8000/a2a";
          default -> usual;
        };
    server
        .database()
        .execute("UPDATE workspaces SET url = '" + url + "' WHERE id = '" + target.id() + "'");
    return target;
  }

  private static void assertAnswer(CrashPoint fault, CrashPoint.Outcome outcome, Answer answer) {
    assertRefused(answer, fault.status(outcome), outcome.code);
    Map<String, String> extras = new HashMap<>(outcome.extras);
    if (fault.agentStatus > 0) {
      extras.put("agent_status", Integer.toString(fault.agentStatus));
    }
    for (String extra : EXTRAS) {
      assertThat(answer.field(extra)).as(extra).isEqualTo(extras.getOrDefault(extra, ""));
    }
    if (!fault.words.isEmpty()) {
      assertThat(answer.field("error")).isEqualTo(fault.words);
    }
  }

  @Test
  void forwardsAndStoresAJsonRpcError() throws IOException {
    String error =
        "{\"jsonrpc\":\"2.0\", \"id\":1,\"error\":{\"code\":-32001,\"message\":\"no such task\"}}";
    try (TestPeer peer = TestPeer.start().usually(PeerBehavior.answer(200, error))) {
      Delivery sent =
          Delivery.take(WITH_RETRIES, new PushAgents(WITH_RETRIES).at(peer.url()), TIMEOUT);

      assertThat(sent.answer().status()).isEqualTo(200);
      assertThat(sent.answer().text()).isEqualTo(error);
      sent.assertRow("answered", 1, true);
      assertThat(sent.stored("l.error_detail")).contains("no such task", "-32001");
      assertThat(sent.stored("l.response_body")).isEqualTo(error);
      assertThat(peer.deliveries()).hasSize(1);
    }
  }

  /** A gateway got no answer, so the agent may have it (R7.16). */
  @ParameterizedTest
  @ValueSource(ints = {502, 504})
  void sendsNothingTwiceFromTheQueueWhereThatIsForbidden(int status) throws IOException {
    TestClient client = WITHOUT_RETRIES.client();
    try (TestPeer peer = TestPeer.start().usually(PeerBehavior.answer(status, "{}"))) {
      Agent caller = client.create("Caller", "\"delivery_mode\":\"poll\"");
      Agent callee =
          client.create(
              "Callee",
              "\"parent_id\":\"" + caller.id() + "\"",
              "\"delivery_mode\":\"push\"",
              "\"max_concurrent_tasks\":2",
              "\"url\":\"" + peer.url() + "\"");
      String delegation =
          client
              .post(
                  "/workspaces/" + caller.id() + "/delegate",
                  caller.token(),
                  "{\"target_id\":\"" + callee.id() + "\",\"task\":\"Do it.\"}")
              .field("delegation_id");
      assertThat(new ProxyClient(WITHOUT_RETRIES).send(callee, ADMIN_TOKEN, MESSAGE).status())
          .isEqualTo(202);

      client.heartbeat(callee);

      String ended =
          "SELECT string_agg(kind || ' ' || state || ' ' || queue_state, ', ' ORDER BY kind) FROM"
              + " delivery_outcomes WHERE workspace_id = '"
              + callee.id()
              + "'";
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(WITHOUT_RETRIES.database().value(ended))
                  .isEqualTo("delegation uncertain failed, message uncertain failed"));
      assertThat(
              WITHOUT_RETRIES
                  .database()
                  .value(
                      "SELECT status FROM delegations WHERE delegation_id = '" + delegation + "'"))
          .isEqualTo("in_progress");
      assertThat(peer.deliveries()).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 207})
  void forwardsAndStoresAnAnswer(int status) throws IOException {
    String json = "\n{\"result\" : 1.0, \"result\":{\"kind\":\"task\\u0000\"}} ";
    try (TestPeer peer = TestPeer.start().usually(PeerBehavior.answer(status, json))) {
      Delivery sent =
          Delivery.take(WITH_RETRIES, new PushAgents(WITH_RETRIES).at(peer.url()), TIMEOUT);

      assertThat(sent.answer().status()).isEqualTo(status);
      assertThat(sent.answer().text()).isEqualTo(json);
      assertThat(sent.answer().header("Content-Type")).startsWith("application/json");
      sent.assertRow("answered", 1, false);
      assertThat(sent.stored("l.response_body")).isEqualTo(json);
    }
  }

  @Test
  void deliversAtTheSecondAttempt() throws IOException {
    try (TestPeer peer = TestPeer.start().then(PeerBehavior.resetAfterRequest())) {
      Delivery sent =
          Delivery.take(WITH_RETRIES, new PushAgents(WITH_RETRIES).at(peer.url()), TIMEOUT);

      assertThat(sent.answer().status()).isEqualTo(200);
      sent.assertRow("answered", 2, false);
      assertThat(peer.deliveries()).hasSize(2);
      assertThat(peer.deliveries().get(1).text()).isEqualTo(peer.deliveries().get(0).text());
    }
  }

  /** The kernel closes the sockets of the killed agent. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reportsAPossibleDeliveryWhenTheAgentIsKilledAtWork(boolean retriesAmbiguous)
      throws IOException {
    TestServer server = retriesAmbiguous ? WITH_RETRIES : WITHOUT_RETRIES;
    try (PeerProcess peer = PeerProcess.start(0, PeerProcess.Manner.SILENCE)) {
      int port = Integer.parseInt(peer.url().replaceAll(".*:(\\d+)/.*", "$1"));
      Agent target = new PushAgents(server).at(peer.url());
      CompletableFuture<Delivery> taken =
          CompletableFuture.supplyAsync(
              () -> Delivery.take(server, target, Duration.ofSeconds(20)),
              Thread::startVirtualThread);
      // the connection of the other process is visible in the kernel's table only
      Awaitility.await().until(() -> TcpTable.openAt(port) > 0);
      peer.kill();

      Delivery sent = taken.join();
      assertRefused(sent.answer(), 504, "AGENT_TIMEOUT");
      assertThat(sent.elapsed()).isLessThan(Duration.ofSeconds(15));
      sent.assertRow("uncertain", 1, true);
      sent.assertHidesTheAddress(port);
    }
  }

  /** The last connection to it may still look open, but is dead. */
  @Test
  void deliversToAnAgentThatWasRestartedBetweenTwoDeliveries() throws IOException {
    int port = FreePorts.next();
    Agent target;
    try (PeerProcess peer = PeerProcess.start(port, PeerProcess.Manner.ECHO)) {
      target = new PushAgents(WITH_RETRIES).at(peer.url());
      String before = ProxyClient.message("before", "hi");
      assertThat(new ProxyClient(WITH_RETRIES).send(target, ADMIN_TOKEN, before).status())
          .isEqualTo(200);
      peer.kill();
    }
    try (TestPeer peer = TestPeer.startOn(port)) {
      Delivery sent = Delivery.take(WITH_RETRIES, target, TIMEOUT);

      assertThat(sent.answer().status()).as(sent.answer().text()).isEqualTo(200);
      assertThat(peer.deliveries()).hasSize(1);
      assertThat(sent.stored("m.state || ' ' || l.status")).isEqualTo("answered ok");
    }
  }
}
