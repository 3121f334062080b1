package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that take a push agent longer than the server waits for the answer (R8.3 to R8.5). */
@Slow
@Timeout(180)
class LongTaskTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /**
   * The server's timeout is longer than what the library calls slow, and short enough for a test.
   */
  private static final TestServer SERVER =
      TestServer.start(
          "AGENT_URL_ALLOW=loopback",
          "HEARTBEAT_INTERVAL_S=1",
          "A2A_DELEGATE_READ_TIMEOUT=6",
          "A2A_DELEGATE_TOTAL_BUDGET=6");

  private final TestClient platform = SERVER.client();
  private final Agent boss = platform.create("Boss");
  private final Agent clerk = platform.create("Clerk", "\"parent_id\":\"" + boss.id() + "\"");
  private final AgentClient bosss = client(boss);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** The longer text is larger than the body of a report may be (R0.7). */
  @ParameterizedTest
  @ValueSource(ints = {1, 25_000})
  void isReportedAfterTheTimeoutOfTheServer(int times) throws Exception {
    String result = "done at last".repeat(times);

    Delegation end = endOf(() -> result);

    assertThat(end.status()).isEqualTo("completed");
    assertThat(end.result()).isEqualTo(result);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40_000})
  void isReportedAsFailedAfterTheTimeoutOfTheServer(int times) throws Exception {
    String why = "no luck".repeat(times);

    Delegation end =
        endOf(() -> {
          throw new IllegalStateException(why);
        });

    assertThat(end.status()).isEqualTo("failed");
    assertThat(end.error()).startsWith("no luck");
  }

  /** The end of a task whose handler ends after the server's timeout. */
  private Delegation endOf(Callable<String> last) throws Exception {
    try (PushDelivery delivery = PushDelivery.builder(client(clerk)).start();
        AgentLoop loop = working(delivery, last)) {
      loop.start();
      await()
          .atMost(LIMIT)
          .until(() -> platform.read(clerk).path("status").asString().equals("online"));
      Delegation made = bosss.delegate(clerk.id().toString(), "a long one");

      await().atMost(LIMIT).until(this::timedOut);
      String then = lastHeartbeat(made);
      await().atMost(LIMIT).until(() -> !lastHeartbeat(made).equals(then));
      assertThat(now(made).status()).isEqualTo("in_progress");
      goOn.countDown();

      await().atMost(LIMIT).until(() -> now(made).isOver());
      return now(made);
    }
  }

  private AgentLoop working(PushDelivery delivery, Callable<String> last) {
    return AgentLoop.builder(client(clerk))
        .registration(Registration.pushed("Clerk", delivery.url()))
        .delivery(delivery)
        .answering((message, _) -> {
          assertThat(goOn.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
          return last.call();
        })
        .build();
  }

  /** The row of the task says that the delivery timed out. */
  private boolean timedOut() {
    return platform
        .get("/workspaces/" + clerk.id() + "/activity?type=a2a_receive", TestServer.ADMIN_TOKEN)
        .json()
        .valueStream()
        .anyMatch(row -> row.path("error_detail").asString("").contains("imeout"));
  }

  private Delegation now(Delegation made) {
    return bosss.delegation(made.id(), Duration.ZERO);
  }

  private String lastHeartbeat(Delegation made) {
    return now(made).raw().path("last_heartbeat").asString("");
  }

  private static AgentClient client(Agent agent) {
    return AgentServer.clientAt(SERVER.port(), agent);
  }
}
