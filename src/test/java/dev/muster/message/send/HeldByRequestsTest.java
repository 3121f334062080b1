package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import dev.muster.protocol.client.ResponseMemoryBudget;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a request to an agent holds while its sender waits, and when it has ended. */
@Slow
@Timeout(120)
class HeldByRequestsTest {

  /** More than what is not counted. */
  private static final String LARGE = "x".repeat(2 * ResponseMemoryBudget.FREE);

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);
  private static final PushAgents AGENTS = new PushAgents(SERVER);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void isNoThreadOfASenderThatWaitsForAPollAgent(@TempDir Path folder) throws IOException {
    Agent polling = CLIENT.create("Polling");
    CompletableFuture<Answer> sent =
        CompletableFuture.supplyAsync(
            () ->
                CLIENT.post(
                    ProxyClient.path(polling.id()) + "?wait=60",
                    ADMIN_TOKEN,
                    ProxyClient.message("m", "hi")),
            Thread::startVirtualThread);
    Awaitility.await().until(() -> waiting() == 1);

    Awaitility.await().until(() -> !threads(folder).contains("PlainRouteAdapter"));

    assertThat(waiting()).isEqualTo(1);
    CLIENT.delete("/workspaces/" + polling.id(), ADMIN_TOKEN);
    assertThat(sent.join().status()).isEqualTo(410);
  }

  @Test
  void isNoMemoryAfterAnAnswer() throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.then(
          PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"" + LARGE + "\"}"));
      Agent agent = AGENTS.at(peer.url());

      assertThat(PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m", "hi")).text())
          .contains(LARGE);

      awaitNoMemory();
    }
  }

  @Test
  void isNoMemoryAfterAStream() throws IOException {
    String last =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"final\":true,\"x\":\""
            + LARGE
            + "\"}}";
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.events(last));
      Agent agent = AGENTS.at(peer.url());

      assertThat(
              PROXY
                  .send(
                      agent,
                      ADMIN_TOKEN,
                      ProxyClient.message("m", "hi").replace("message/send", "message/stream"))
                  .text())
          .contains(LARGE);

      awaitNoMemory();
    }
  }

  private static void awaitNoMemory() {
    Awaitility.await().until(() -> SERVER.bean(ResponseMemoryBudget.class).taken() == 0);
  }

  private static double waiting() {
    return SERVER.bean(MeterRegistry.class).get("muster.polls.waiting").gauge().value();
  }

  /** Returns the stacks of all threads, virtual ones too. */
  private static String threads(Path folder) throws IOException {
    Path file = folder.resolve("threads");
    Files.deleteIfExists(file);
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
    return Files.readString(file);
  }
}
